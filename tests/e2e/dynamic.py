#!/usr/bin/python3
"""The dynamic track from the front door: what a runner says counts only if it ends its say properly."""
import json
import os
import shutil
import signal
import subprocess
import time

import e2e
from e2e import CMPD, check, cmpd, done, write

KERNEL = """__global__ void k(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = 0;
}
void launch_k(float *a, int n)
{
    k<<<(n + 255) / 256, 256>>>(a, n);
}
"""
COMPILE_ONLY = '{"policy": {"require": ["static", "compile"], "tiers": {"no_vectorized_access": "note"}}}'
NVCC = "/usr/local/cuda/bin/nvcc"


def with_runner(script):
    """A cmpd beside a runner of our own."""
    os.makedirs("own", exist_ok=True)
    shutil.copy(CMPD, "own/cmpd")
    if os.path.exists("own/cmpd-runner"):
        os.remove("own/cmpd-runner")
    if script is not None:
        write("own/cmpd-runner", script)
        os.chmod("own/cmpd-runner", 0o755)
    return os.path.abspath("own/cmpd")


def judge(script, policy):
    e2e.CMPD = with_runner(script)
    data = os.path.join(os.path.dirname(os.path.dirname(CMPD)), "share/cmpd")
    r = cmpd("check", "--format", "json", "--policy", policy, "k.cu", env={"CMPD_DATADIR": data})
    e2e.CMPD = CMPD
    return r.status, r.json()


# Reads the job, and answers as PYTHON says; `nonce` is the job's.
RUNNER = """#!/usr/bin/python3
import json, sys, time
job = json.loads(sys.stdin.readline())
nonce = job["nonce"]
def say(o):
    print(json.dumps(o), flush=True)
PYTHON
"""


def bad_runners():
    """Whatever it is that a runner does wrong, it is never a PASS and never a REJECT."""
    for what, script in {
        "none": None,
        "not a program": "",
        "silent": "#!/bin/sh\ncat >/dev/null &\nexit 0\n",
        "fails": "#!/bin/sh\necho 'something broke' >&2\nexit 3\n",
        "junk": RUNNER.replace("PYTHON", "print('junk')"),
        "no end": RUNNER.replace("PYTHON", "say({'event': 'compile', 'ok': True})"),
        "wrong nonce": RUNNER.replace("PYTHON", "say({'end': 'x' * 32, 'lines': 0})"),
        "wrong count": RUNNER.replace("PYTHON", "say({'end': nonce, 'lines': 7})"),
        "empty": RUNNER.replace("PYTHON", "say({'end': nonce, 'lines': 0})"),
        "behind the end": RUNNER.replace("PYTHON", "say({'end': nonce, 'lines': 0}); say({'end': nonce, 'lines': 1})"),
        "dies": RUNNER.replace("PYTHON", "import os; os.kill(os.getpid(), 9)"),
    }.items():
        status, doc = judge(script, "compile.json")
        check(status == 2 and doc["verdict"] == "REVIEW", f"runner {what}: {status} {doc['verdict']}")
        check(doc["reasons"] == ["runner_unavailable"], f"runner {what}: {doc['reasons']}")
        check(doc["files"][0]["dynamic"]["status"] == "unavailable", f"runner {what}: {doc['files'][0]['dynamic']}")
    # The tag moved to note doesn't turn what was not decided into a pass.
    write("note.json", '{"policy": {"tiers": {"runner_unavailable": "note", "no_vectorized_access": "note"}}}')
    status, doc = judge(None, "note.json")
    check(status == 2, f"no runner, its tag a note: {status}")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def interrupted():
    """Ctrl-C ends the runner too: it hangs on cmpd's end of its standard input."""
    script = RUNNER.replace("PYTHON", "import os\nopen('own/pid', 'w').write(str(os.getpid()) + '.')\nsys.stdin.read()")
    program = with_runner(script)
    p = subprocess.Popen([program, "check", "--policy", "compile.json", "k.cu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    pid = ""
    while not pid.endswith(".") and time.monotonic() < end:
        time.sleep(0.02)
        if os.path.exists("own/pid"):
            with open("own/pid", encoding="ascii") as f:
                pid = f.read()
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    check(p.returncode == -signal.SIGINT, f"SIGINT: {p.returncode}")
    while alive(int(pid[:-1])) and time.monotonic() < end:
        time.sleep(0.02)
    check(not alive(int(pid[:-1])), "the runner lives on after cmpd was interrupted")


def skipped():
    write("reject.cu", KERNEL.replace("256>>>", "2048>>>"))
    doc = cmpd("check", "--format", "json", "reject.cu").json()
    check(doc["verdict"] == "REJECT", f"over 1024 threads: {doc['verdict']}")
    check(doc["files"][0]["dynamic"] == {"status": "skipped", "why": "static track rejected"}, f"{doc['files'][0]['dynamic']}")
    doc = cmpd("check", "--track", "static", "--format", "json", "--policy", "compile.json", "k.cu").json()
    check(doc["files"][0]["dynamic"]["status"] == "skipped" and doc["verdict"] == "PASS", "--track static")
    doc = cmpd("check", "--track", "dynamic", "--format", "json", "reject.cu").json()
    check(doc["files"][0]["static"] == {"status": "skipped"}, f"--track dynamic: {doc['files'][0]['static']}")
    check(doc["verdict"] != "PASS", "--track dynamic passes although static is required")
    r = cmpd("check", "--format", "json", write("blank.cu", "// nothing\n"))
    check(r.status == 0 and r.json()["files"][0]["dynamic"]["status"] == "done", f"a file of nothing: {r.status} {r.out}")


def compiled():
    if not os.path.exists(NVCC):
        print("nvcc is not there: what it says is left out")
        return
    r = cmpd("check", "--policy", "compile.json", "k.cu", timeout=300)
    check(r.status == 0 and b"result: PASS (speed not measured)\n" in r.out, f"compiles: {r.status} {r.out}")
    check(b"+ compile: OK (sm_80, " in r.out, f"compiles: {r.out}")
    r = cmpd("check", "--format", "json", "k.cu", timeout=300)
    doc = r.json()
    # Nobody says which operator it is; where nothing can be run, not even that is asked.
    check(r.status == 2 and doc["reasons"] in (["no_reference"], ["runner_unavailable"]), f"numeric is required: {r.status} {doc['reasons']}")
    check(doc["files"][0]["dynamic"]["compile"]["ok"] is True, "the compile stage is not in the result")
    r = cmpd("check", "--policy", "compile.json", "-", stdin=KERNEL.encode(), timeout=300)
    check(r.status == 0, f"standard input: {r.status} {r.out} {r.err}")
    broken = KERNEL.replace("a[i] = 0;", "a[i] = zero;")
    r = cmpd("check", "--format", "json", "--policy", "compile.json", write("broken.cu", broken), timeout=300)
    found = [(f["reason"], f["line"]) for f in r.json()["files"][0]["findings"] if f["tier"] == "reject"]
    check(r.status == 1 and found == [("compile_error", 5)], f"does not compile: {r.status} {found}")
    r = cmpd("check", "--format", "json", "--policy", "compile.json", "--entry", "launch_kk", "k.cu", timeout=300)
    check(r.status == 1 and r.json()["reasons"] == ["entry_not_found"], f"--entry: {r.status} {r.out}")
    r = cmpd("check", "--policy", "compile.json", "--entry", "launch_k", "k.cu", timeout=300)
    check(r.status == 0, f"--entry: {r.status} {r.out}")


def no_compiler():
    write("nowhere.json", '{"policy": {"require": ["static", "compile"], "nvcc": {"path": "/nowhere/bin/nvcc"}}}')
    r = cmpd("check", "--format", "json", "--policy", "nowhere.json", "k.cu")
    doc = r.json()
    check(r.status == 2 and doc["verdict"] == "REVIEW", f"no nvcc: {r.status}")
    check(doc["reasons"] and "/nowhere/bin/nvcc" in json.dumps(doc), f"no nvcc: {doc}")


def main():
    write("k.cu", KERNEL)
    write("compile.json", COMPILE_ONLY)
    bad_runners()
    interrupted()
    skipped()
    no_compiler()
    compiled()
    done()


main()
