#!/usr/bin/python3
"""Operators of the user's own: a C file and a command (refs/examples), by check and from base in a review."""
import json
import os
import shutil
import subprocess
import sys

CMPD, SOURCE = os.environ["CMPD_BIN"], os.environ["CMPD_SOURCE_DIR"]
RIGHT = """__global__ void ss(const float *x, const float *shift, float *y, int rows, int cols, float alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        y[i] = alpha * x[i] + shift[i % cols];
}

void scale_shift(const float *x, const float *shift, float *y, int rows, int cols, float alpha)
{
    ss<<<(rows * cols + 255) / 256, 256>>>(x, shift, y, rows, cols, alpha);
}
"""
WRONG = RIGHT.replace("i % cols", "i / cols % cols")
failures = 0


def policy(kind, path):
    return json.dumps({"version": 1, "policy": {"tiers": {"no_vectorized_access": "note"}}, "kernels": [
        {"path": "kernels/scale_shift.cu", "op": "scale_shift", "reference": {kind: path}}]})


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def cmpd(*args):
    run = subprocess.run([CMPD, *args, "--format", "json"], capture_output=True, text=True, check=False)
    document = json.loads(run.stdout)
    entry = document["files"][0]
    return entry["verdict"], {f["reason"] for f in entry["findings"] if f["tier"] != "note"}, entry


def expect(what, got, verdict, tag=None):
    global failures
    if got[0] != verdict or (tag and tag not in got[1]):
        failures += 1
        print(f"{what}: expected {verdict} {tag or ''}, got {got[0]} {sorted(got[1])}")
        print(json.dumps(got[2]["findings"], indent=1)[:2000])


def git(*args):
    subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *args], check=True,
                   capture_output=True)


def main():
    if not os.path.exists("/usr/local/cuda/bin/nvcc"):
        print("skipped: no nvcc")
        return 77
    shutil.copytree(os.path.join(SOURCE, "refs/examples"), "refs")
    for kind, path in (("file", "refs/scale_shift.c"), ("command", "refs/scale_shift.py")):
        write("cmpd.json", policy(kind, path))
        write("kernels/scale_shift.cu", RIGHT)
        got = cmpd("check", "kernels/scale_shift.cu")
        if "runner_unavailable" in got[1]:
            print("skipped: kernels can't be run here", got[2]["findings"])
            return 77
        expect(f"right, {kind}", got, "PASS")
        write("kernels/scale_shift.cu", WRONG)
        expect(f"wrong, {kind}", cmpd("check", "kernels/scale_shift.cu"), "REJECT", "numeric_mismatch")
    write("cmpd.json", policy("file", "refs/none.c"))
    expect("no such reference", cmpd("check", "kernels/scale_shift.cu"), "REVIEW", "no_reference")
    write("refs/broken.c", "int main(void) { return 1 }\n")
    write("cmpd.json", policy("file", "refs/broken.c"))
    expect("one that does not compile", cmpd("check", "kernels/scale_shift.cu"), "REVIEW", "no_reference")

    # A change that brings a wrong kernel and bends the reference to it is judged by base's reference.
    write("cmpd.json", policy("file", "refs/scale_shift.c"))
    write("kernels/scale_shift.cu", RIGHT)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "base")
    git("switch", "-q", "-c", "change")
    write("kernels/scale_shift.cu", WRONG)
    with open("refs/scale_shift.c", encoding="utf-8") as f:
        bent = f.read().replace("[i % cols]", "[i / cols % cols]")
    write("refs/scale_shift.c", bent)
    git("commit", "-q", "-a", "-m", "change")
    got = cmpd("review", "--repo", ".", "--base", "main", "--head", "change")
    expect("bent reference", got, "REJECT", "numeric_mismatch")
    return 1 if failures else 0


sys.exit(main())
