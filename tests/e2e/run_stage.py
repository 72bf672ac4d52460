#!/usr/bin/python3
"""The run stage from the front door: what the job asks for, what an answer comes to, and the way back by replay."""
import json
import os
import shlex
import shutil

import e2e
from e2e import CMPD, SOURCE, check, cmpd, done, write

KERNEL = """__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void launch_relu(const float *x, float *y, int n)
{
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""
QUIET = '"tiers": {"no_vectorized_access": "note"}'
NVCC = "/usr/local/cuda/bin/nvcc"

# Keeps the job, then says what ANSWER holds.
RUNNER = """#!/usr/bin/python3
import json, sys
job = json.loads(sys.stdin.readline())
open("job.json", "w").write(json.dumps(job))
lines = [{"event": "start", "jail": "none"}, {"event": "compile", "ok": True, "elapsed_ms": 9, "arch": "sm_80"}]
lines += json.load(open("answer.json"))
for line in lines:
    print(json.dumps(line))
print(json.dumps({"end": job["nonce"], "lines": len(lines)}))
"""
DEVICE = {"event": "device", "name": "emulator", "backend": "emulator"}
ENTRY = {"event": "entry", "name": "launch_relu", "op": "relu", "args": ["in:x", "out:y", "dim:n"]}
MEMORY = {"event": "memory", "ok": True, "method": "shadow memory", "launches": 2, "lane_instructions": 99}


def case(name="n=31", ok=True, n=31):
    return {"event": "case", "name": name, "shape": {"n": n}, "dtype": "f32", "seed": 7, "schedule": 0,
            "max_abs_err": 1e-7, "max_rel_err": 1e-6, "ok": ok, "elapsed_ms": 1, "lane_instructions": 9}


def stage(name, status, why=None):
    return dict({"event": "stage", "stage": name, "status": status}, **({"why": why} if why else {}))


def finding(tag, **more):
    return dict({"event": "finding", "tag": tag, "line": 5, "column": 0, "message": "m"}, **more)


PASSED = [DEVICE, ENTRY, {"event": "tolerance", "atol": 1e-5, "rtol": 1e-4}, case(), case("n=33", n=33), MEMORY,
          stage("memory", "pass"), stage("numeric", "pass")]


policies = []


def policy(text):
    policies.append(text)
    return write(f"policy{len(policies)}.json", text)


def judge(answer, *args, form="json", command="check"):
    """A cmpd beside a runner of our own."""
    os.makedirs("own", exist_ok=True)
    shutil.copy(CMPD, "own/cmpd")
    write("own/cmpd-runner", RUNNER)
    os.chmod("own/cmpd-runner", 0o755)
    write("answer.json", json.dumps(answer))
    if os.path.exists("job.json"):
        os.remove("job.json")
    data = os.path.join(os.path.dirname(os.path.dirname(CMPD)), "share/cmpd")
    e2e.CMPD = os.path.abspath("own/cmpd")
    r = cmpd(command, "--format", form, *args, env={"CMPD_DATADIR": data})
    e2e.CMPD = CMPD
    return r


def job():
    with open("job.json", encoding="utf-8") as f:
        return json.load(f)


def schema_of_job():
    try:
        import jsonschema
    except ImportError:
        print("no jsonschema: jobs are not checked against the schema")
        return lambda o: []
    with open(os.path.join(SOURCE, "config/schema/job.schema.json"), encoding="utf-8") as f:
        v = jsonschema.Draft202012Validator(json.load(f))
    return lambda o: [e.message for e in v.iter_errors(o)]


def what_is_asked():
    errors = schema_of_job()
    plain = policy("{\"policy\": {%s}}" % QUIET)
    judge(PASSED, "--policy", plain, "k.cu")
    j = job()
    check(errors(j) == [], f"job: {errors(j)}")
    check(j["stages"] == ["compile", "run"], f"stages: {j['stages']}")
    run = j["run"]
    check((run["op"], run["op_source"]) == ("relu", "inferred"), f"by names: {run['op']} {run['op_source']}")
    check("entry" not in run and run["entry_required"] is False and run["device"] == "auto", f"run: {run}")
    check([f["name"] for f in run["functions"]["list"]] == ["relu_kernel", "launch_relu"], "functions")
    check(run["functions"]["launches"][0]["block"]["x"] == "256", "launches")

    write("op.cu", "// cmpd: op=gelu\n" + KERNEL)
    judge(PASSED, "--policy", plain, "op.cu")
    check((job()["run"]["op"], job()["run"]["op_source"]) == ("gelu", "comment"), "comment")
    full = policy("""{"kernels": [{"path": "**/*.cu", "op": "silu", "entry": "launch_relu", "args": ["in:x", "out:y", "dim:n"],
        "dtype": "f32", "cases": [{"n": 7, "inputs": "zeros"}], "tolerance": {"atol": 0.5},
        "launch": {"grid": "n", "block": "1"}, "reference": {"command": "ops/silu"}}],
        "policy": {"emulation_budget": 12345, %s}}""" % QUIET)
    judge(PASSED, "--policy", full, "op.cu")
    run = job()["run"]
    check(errors(job()) == [], f"job: {errors(job())}")
    check((run["op"], run["op_source"], run["entry"], run["entry_required"]) == ("silu", "policy", "launch_relu", True),
          f"policy: {run}")
    check(run["args"] == ["in:x", "out:y", "dim:n"] and run["dtype"] == "f32", f"policy: {run}")
    check(run["cases"] == [{"n": 7, "inputs": "zeros"}] and run["tolerance"] == {"atol": 0.5}, f"policy: {run}")
    check(run["launch"] == {"grid": "n", "block": "1"} and run["budget"] == 12345, f"policy: {run}")
    check(run["reference"] == {"kind": "command", "path": "ops/silu"}, f"policy: {run}")
    judge(PASSED, "--policy", full, "--op", "tanh", "--entry", "other", "--device", "emulator", "op.cu")
    run = job()["run"]
    check((run["op"], run["op_source"], run["entry"], run["device"]) == ("tanh", "option", "other", "emulator"),
          f"options win: {run}")
    judge(PASSED, "--policy", policy('{"policy": {"require": ["static", "compile"], %s}}' % QUIET), "k.cu")
    check("run" not in job() and job()["stages"] == ["compile"], "nobody asks for a run")
    judge(PASSED, "--policy", plain, write("none.cu", "#include <cuda_runtime.h>\nint nothing_to_call;\n"))
    check("run" not in job(), "nothing can be called")
    judge(PASSED, "--policy", plain, write("main.cu", KERNEL.replace('extern "C" ', "") + "int main() { return 0; }\n"))
    check("op" not in job()["run"] and job()["run"]["functions"]["main"] is True, "a program's names are no operator")


def what_it_comes_to():
    ask = ["--policy", policy("{\"policy\": {%s}}" % QUIET), "--op", "relu", "k.cu"]
    r = judge(PASSED, *ask)
    d = r.json()["files"][0]["dynamic"]
    check(r.status == 0 and d["status"] == "done", f"passed: {r.status} {r.out}")
    check((d["device"], d["backend"], d["entry"]) == ("emulator", "emulator", "launch_relu"), f"{d}")
    check(d["numeric"]["status"] == "pass" and len(d["numeric"]["cases"]) == 2, f"{d['numeric']}")
    check(d["numeric"]["cases"][0]["shape"] == {"n": 31} and d["memory"]["method"] == "shadow memory", f"{d}")
    text = judge(PASSED, *ask, form="text").out.decode()
    for line in ("[dynamic_check] emulator\n", "+ compile: OK (sm_80, 9ms)\n",
                 "+ numerical test: PASS atol=1e-05, rtol=1e-04 (2 shapes)\n", "+ memory test: PASS (shadow memory)\n",
                 "verdict: PASS\n", "result: PASS (speed not measured)\n"):
        check(line in text, f"{line!r} is not in {text}")

    wrong = [DEVICE, ENTRY, case(ok=False), MEMORY, stage("memory", "pass"), stage("numeric", "fail"),
             finding("numeric_mismatch", hint="h", kernel="relu_kernel", replay="--op relu --case 'n=31' --seed 7 --schedule 0",
                     also={"line": 9})]
    r = judge(wrong, *ask)
    f = [f for f in r.json()["files"][0]["findings"] if f["reason"] == "numeric_mismatch"][0]
    check(r.status == 1 and f["tier"] == "reject" and f["line"] == 5, f"wrong: {r.status} {f}")
    check(f["replay"] == "cmpd replay k.cu --op relu --case 'n=31' --seed 7 --schedule 0 --policy " + ask[1], f["replay"])
    check(f["also"] == {"line": 9} and f["kernel"] == "relu_kernel", f"{f}")
    text = judge(wrong, *ask, form="text").out.decode()
    check("- numerical test: FAIL (1 of 1 cases: n=31)\n" in text and "  see also: k.cu:9\n" in text, text)
    check("  replay: cmpd replay k.cu --op relu" in text, text)
    for form, has in (("html", "cmpd replay k.cu"), ("sarif", "relatedLocations"), ("prompt", "see also k.cu:9")):
        check(has in judge(wrong, *ask, form=form).out.decode(), f"{form} lacks {has}")

    doubt = [DEVICE, ENTRY, case(ok=False), MEMORY, stage("memory", "pass"), stage("numeric", "fail"),
             finding("numeric_mismatch", tier="review")]
    check(judge(doubt, *ask).status == 2, "found under an assumption")
    note = PASSED + [finding("memory_leak", tier="note")]
    check(judge(note, *ask).status == 0, "a note")

    for what, answer, reasons in (
            ("undecided", [DEVICE, ENTRY, stage("numeric", "undecided"), stage("memory", "pass"), MEMORY,
                           finding("emulation_budget")], ["emulation_budget"]),
            ("no entry", [finding("no_entry")], ["no_entry"]),
            ("no reference", [finding("no_reference")], ["no_reference"]),
            ("silent", [], ["runner_unavailable"]),
            ("a device and no word", [DEVICE], ["runner_unavailable"]),
            ("one stage only", [DEVICE, ENTRY, case(), stage("numeric", "pass")], ["runner_unavailable"]),
            ("fails without a word", [DEVICE, ENTRY, case(ok=False), MEMORY, stage("memory", "pass"), stage("numeric", "fail")],
             ["runner_unavailable"])):
        r = judge(answer, *ask)
        check(r.status == 2 and r.json()["reasons"] == reasons, f"{what}: {r.status} {r.json()['reasons']}")
    # Moved to note it is still not decided.
    soft = policy('{"policy": {"tiers": {"no_reference": "note", "no_vectorized_access": "note"}}}')
    r = judge([finding("no_reference")], "--policy", soft, "k.cu")
    check(r.status == 2, f"no reference, its tag a note: {r.status}")
    memory = policy('{"policy": {"require": ["static", "compile", "memory"], %s}}' % QUIET)
    r = judge([DEVICE, ENTRY, MEMORY, stage("memory", "pass"), finding("no_reference")], "--policy", memory, "k.cu")
    check(r.status == 0, f"numbers are not asked for: {r.status} {r.out}")
    perf = policy('{"policy": {"require": ["static", "compile", "numeric", "memory", "perf"], %s}}' % QUIET)
    r = judge(PASSED, "--policy", perf, "--op", "relu", "k.cu")
    check(r.status == 2 and r.json()["reasons"] == ["perf_not_measured"], f"perf: {r.status} {r.json()['reasons']}")


def replayed():
    r = judge([DEVICE, ENTRY, case(), MEMORY, stage("memory", "pass"), stage("numeric", "pass")], "k.cu", "--case", "n=31",
              "--seed", "7", "--schedule", "3", "--op", "relu", form="text", command="replay")
    run = job()["run"]
    check(r.status == 0, f"replay: {r.status} {r.out} {r.err}")
    check((run["only_case"], run["seed"], run["schedule"], run["op_source"]) == ("n=31", 7, 3, "option"), f"{run}")
    check(b"case n=31: as the reference has it\n" in r.out and b"  seed: 7\n" in r.out, f"{r.out}")
    r = judge([DEVICE, ENTRY, case(ok=False), MEMORY, stage("memory", "pass"), stage("numeric", "fail"),
               finding("numeric_mismatch")], "k.cu", "--case", "n=31", form="text", command="replay")
    check(r.status == 1 and b"k.cu:5: reject: numeric_mismatch: m\n" in r.out, f"replay: {r.status} {r.out}")
    r = judge([finding("no_reference")], "k.cu", "--case", "n=31", form="json", command="replay")
    check(r.status == 2 and r.json()["files"][0]["findings"], f"replay: {r.status}")
    check(cmpd("replay", "k.cu").status == 64, "replay without a case")
    check(cmpd("replay", "k.cu", "--case", "n=1", "--seed", "x").status != 0, "replay with a seed that is none")
    check(cmpd("replay", "nowhere.cu", "--case", "n=1").status == 66, "replay of no file")


def for_real():
    """What a check says can be had again with the command that it gives."""
    if not os.path.exists(NVCC):
        print("nvcc is not there: nothing is run for real")
        return
    bad = KERNEL.replace("x[i] > 0 ? x[i] : 0", "x[i]")
    r = cmpd("check", "--format", "json", "--op", "relu", write("bad.cu", bad), timeout=600)
    found = [f for f in r.json()["files"][0]["findings"] if f["reason"] == "numeric_mismatch"]
    if "runner_unavailable" in r.json()["reasons"]:
        print("nothing can be run here:", r.json()["files"][0]["dynamic"])
        return
    check(r.status == 1 and found and found[0]["line"] == 5, f"bad: {r.status} {r.json()['reasons']}")
    if not found:
        return
    words = shlex.split(found[0]["replay"])
    check(words[:3] == ["cmpd", "replay", "bad.cu"], f"{words}")
    again = cmpd(*words[1:], timeout=600)
    check(again.status == 1 and b"numeric_mismatch" in again.out, f"replay: {again.status} {again.out}")
    message = found[0]["message"].split(";")[0].encode()
    check(message in again.out, f"replay says {again.out}, check said {message}")


PROGRAM = """#include <cstdio>
#include <cstdlib>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 2 * i; }
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *d, *h = (float *)malloc(n * 4);
    cudaMalloc(&d, n * 4);
    k<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);
    printf("last %g\\n", h[n - 1]);
    fprintf(stderr, "aside\\n");
    cudaFree(d);
    return 3;
}
"""


def programs():
    if not os.path.exists(NVCC):
        return
    r = cmpd("run", write("p.cu", PROGRAM), "--", "77", timeout=600)
    if b"runner_unavailable" in r.err:
        print("nothing can be run here:", r.err)
        return
    check(r.status == 3 and r.out == b"last 152\n", f"a program: {r.status} {r.out} {r.err}")
    check(b"aside\n" in r.err and b"ran on the emulator: 1 launches, exit status 3" in r.err, f"{r.err}")
    r = cmpd("run", write("q.cu", PROGRAM.replace("i < n", "i <= n")), timeout=600)
    check(r.status == 1 and b"q.cu:3: reject: out_of_bounds" in r.err, f"a faulty program: {r.status} {r.err}")
    check(b"last 1998\n" in r.out, f"its output is passed on: {r.out}")
    r = cmpd("run", "k.cu", timeout=600)
    check(r.status == 2 and b"has no main()" in r.err, f"no program: {r.status} {r.err}")
    check(cmpd("run").status == 64, "run of nothing")


def main():
    write("k.cu", KERNEL)
    what_is_asked()
    what_it_comes_to()
    replayed()
    for_real()
    programs()
    done()


main()
