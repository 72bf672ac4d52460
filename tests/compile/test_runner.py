"""The real cmpd-runner: protocol, lifeline, cache, limits. With the real nvcc where there is one, else only what a
stand-in (a shell script) can show."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import traceback

RUNNER = os.environ["CMPD_RUNNER_BIN"]
NVCC = "/usr/local/cuda/bin/nvcc"
HERE = pathlib.Path.cwd()
KERNEL = "__global__ void k(float *p) { p[threadIdx.x] = SCALE; }\n"
ENV = {"PATH": "/usr/bin:/bin", "HOME": str(HERE / "home"), "TMPDIR": str(HERE / "tmp"),
       "XDG_CACHE_HOME": str(HERE / "cache")}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        ENV[name] = os.environ[name]



def jail():
    """Where this machine can make no jail, the compiler goes without."""
    p = subprocess.run([RUNNER, "--doctor", "--format", "json"], capture_output=True, text=True)
    return "auto" if {c["name"]: c["ok"] for c in json.loads(p.stdout)["checks"]}.get("jail") else "none"


JAIL = jail()
VERSION_LINE = "Cuda compilation tools, release 13.0, V13.0.88"


def job(file, nvcc=None, **more):
    o = {"schema": "cmpd.job.v1", "nonce": "n-1", "root": str(HERE / "repo"), "file": file,
         "nvcc": nvcc or [{"path": NVCC}], "stages": ["compile"], "lifeline": False,
         "jail": JAIL}
    o.update(more)
    return json.dumps(o) + "\n"


def run(text, *args, timeout=300):
    return subprocess.run([RUNNER, *args], input=text, capture_output=True, text=True, env=ENV, timeout=timeout)


def answer(text, *args):
    p = run(text, *args)
    assert p.returncode == 0, (p.returncode, p.stderr)
    lines = [json.loads(l) for l in p.stdout.splitlines()]
    assert lines[-1] == {"end": "n-1", "lines": len(lines) - 1}, lines[-1]
    assert lines[0]["event"] == "start" and lines[0]["schema"] == "cmpd.event.v1"
    compiled = [l for l in lines if l.get("event") == "compile"]
    found = [l for l in lines if l.get("event") == "finding"]
    return compiled, found


def put(path, text):
    p = HERE / "repo" / path
    p.parent.mkdir(parents=True, exist_ok=True)
    p.write_text(text)
    return p


def stand_in(name, body):
    """A program that passes for nvcc: its --version, then `body`."""
    p = HERE / "toolkits" / name / "bin" / "nvcc"
    p.parent.mkdir(parents=True, exist_ok=True)
    p.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo "{VERSION_LINE}"; exit 0; }}\n{body}\n')
    p.chmod(0o755)
    return [{"path": str(p), "timeout_s": 5}]


def left_over():
    return sorted(os.listdir(HERE / "tmp"))


def process_with(marker):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if marker.encode() in command and state != "Z" and int(pid) != os.getpid():
            return int(pid)
    return None


def wait_for(what, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.05)
    return False


# ---- without a compiler ----

def test_options():
    for args, status in ((["--version"], 0), (["--help"], 0), (["--nonsense"], 64), (["--format", "xml"], 64)):
        p = run("", *args)
        assert p.returncode == status, (args, p.returncode)
    assert run("", "--version").stdout.startswith("cmpd-runner ")
    assert "--doctor" in run("", "--help").stdout


def test_doctor():
    p = run("", "--doctor", "--format", "json", "--nvcc", "/no/such/nvcc")
    assert p.returncode == 0, p.stderr
    report = json.loads(p.stdout)
    assert report["schema"] == "cmpd.doctor.v1"
    nvcc = next(c for c in report["checks"] if c["name"] == "nvcc")
    assert nvcc["ok"] is False and "policy.nvcc.path" in nvcc["advice"]
    assert {"GPU", "bubblewrap", "limits", "compile cache"} <= {c["name"] for c in report["checks"]}
    assert run("", "--doctor").stdout.count("\n") >= 8


def test_broken_jobs():
    for text in ("", "{", job("k.cu")[:-1], "{}\n", "null\n", "\n", job("../k.cu"), job("k.cu", extra=1),
                 '{"schema": "cmpd.job.v1"}\n', "x" * (2 << 20) + "\n"):
        p = run(text)
        assert p.returncode == 65, (text[:80], p.returncode, p.stderr)
        assert p.stdout == "" and p.stderr.startswith("cmpd-runner: job: "), p.stderr


def test_schema():
    try:
        import jsonschema
    except ImportError:
        print("no jsonschema: the schema is not checked")
        return
    source = pathlib.Path(os.environ["CMPD_SOURCE_DIR"])
    schema = json.loads((source / "config/schema/job.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema).is_valid
    full = {"path": NVCC, "std": "c++17", "arch": "sm_90a", "opt": "-O2", "include": ["inc"], "define": ["A=1"],
            "flags": ["--extended-lambda"], "rdc": False, "timeout_s": 5, "memory_mib": 512}
    assert valid(json.loads(job("k.cu", [full])))
    for text in (job("../k.cu"), job("/k.cu"), job("k.cu", extra=1), job("k.cu", [{"arch": "80"}]),
                 job("k.cu", [{"define": ["X=`id`"]}]), job("k.cu", nonce=""), job("k.cu", stages=["dance"])):
        # The schema and the runner agree.
        assert not valid(json.loads(text)), text
        assert run(text).returncode == 65, text


def test_missing_file():
    p = run(job("absent.cu", stand_in("fine", "exit 1")))
    assert p.returncode == 66 and "absent.cu" in p.stderr, (p.returncode, p.stderr)
    assert '"end"' not in p.stdout


def test_no_nvcc():
    compiled, found = answer(job("k.cu", [{"path": "/no/such/nvcc"}]))
    assert not compiled and len(found) == 1
    assert found[0]["tag"] == "runner_unavailable"
    assert "/no/such/nvcc" in found[0]["message"] and "policy.nvcc.path" in found[0]["message"]
    put("plain", "x")
    _, found = answer(job("k.cu", [{"path": str(HERE / "repo" / "plain")}]))
    assert found[0]["tag"] == "runner_unavailable"
    _, found = answer(job("k.cu", [{"path": "/bin/true"}]))
    assert found[0]["tag"] == "runner_unavailable"


def test_timeout():
    nvcc = stand_in("slow", "sleep 31415")
    nvcc[0]["timeout_s"] = 1
    compiled, found = answer(job("k.cu", nvcc))
    assert not compiled[0]["ok"]
    assert [f["tag"] for f in found] == ["compile_timeout"] and "1 s" in found[0]["message"]
    assert wait_for(lambda: process_with("sleep\x0031415") is None, 10)
    assert left_over() == []
    compiled, _ = answer(job("k.cu", nvcc))
    assert not compiled[0]["cached"]


def test_odd_ends():
    for body, says in (("kill -9 $$", "memory"), ("kill -SEGV $$", "signal 11"), ("exit 3", "status 3"),
                       ("echo 'cc1plus: out of memory allocating 1 bytes' >&2; exit 1", "out of memory"),
                       ("echo 'No space left on device' >&2; exit 1", "No space left"),
                       ("exit 0", "no object")):
        _, found = answer(job("k.cu", stand_in("odd", body), cache=False))
        assert [f["tag"] for f in found] == ["compile_environment"], (body, found)
        assert says in found[0]["message"], (says, found[0]["message"])


def test_output_is_capped():
    nvcc = stand_in("loud", "yes 'a.cu(1): error: again and again' | head -c 50000000; exit 1")
    nvcc[0]["timeout_s"] = 100
    _, found = answer(job("k.cu", nvcc))
    assert 1 <= len(found) <= 100


def test_environment_is_scrubbed():
    os.environ["NVCC_APPEND_FLAGS"] = "-DEVIL"
    ENV.update({"NVCC_APPEND_FLAGS": "-DEVIL", "CPATH": "/evil", "SECRET_TOKEN": "s3cret"})
    try:
        _, found = answer(job("k.cu", stand_in("env", "env >&2; echo \"k.cu(1): error: $(env | cut -d= -f1 | sort | tr '\\n' ' ')\"; exit 1")))
    finally:
        for name in ("NVCC_APPEND_FLAGS", "CPATH", "SECRET_TOKEN"):
            del ENV[name]
        del os.environ["NVCC_APPEND_FLAGS"]
    names = set(found[0]["message"].split())
    assert names <= {"HOME", "LC_ALL", "PATH", "PWD", "TMPDIR", "_", "OLDPWD", "SHLVL"}, names


def start(nvcc, **more):
    p = subprocess.Popen([RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
    p.stdin.write(job("k.cu", nvcc, **more).encode())
    p.stdin.flush()
    return p


def test_lifeline():
    nvcc = stand_in("hang", "sleep 27182")
    nvcc[0]["timeout_s"] = 600
    p = start(nvcc, lifeline=True)
    assert wait_for(lambda: process_with("sleep\x0027182"))
    p.stdin.close()
    assert p.wait(30) == 69
    assert b'"end"' not in p.stdout.read()
    assert wait_for(lambda: process_with("sleep\x0027182") is None, 10)
    assert left_over() == []


def test_signals():
    nvcc = stand_in("hang", "sleep 16180")
    nvcc[0]["timeout_s"] = 600
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        p = start(nvcc)
        assert wait_for(lambda: process_with("sleep\x0016180"))
        p.send_signal(sig)
        assert p.wait(30) == 69, sig
        assert b'"end"' not in p.stdout.read()
        assert wait_for(lambda: process_with("sleep\x0016180") is None, 10)
        assert left_over() == []
        p.stdin.close()
    p = subprocess.Popen([RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
    time.sleep(0.3)
    p.send_signal(signal.SIGTERM)  # while it waits for its job
    assert p.wait(30) == 69


def test_reader_gone():
    nvcc = stand_in("quick", "exit 1")
    p = start(nvcc)
    p.stdout.close()
    p.stdin.close()
    assert p.wait(60) == 74


def test_names_for_a_shell():
    """nvcc builds command lines for a shell from file names: such names must not get there."""
    nvcc = [{"path": NVCC}] if os.access(NVCC, os.X_OK) else stand_in("fine", "exit 1")
    for name in ("a$(touch PWNED).cu", "a`touch PWNED`.cu", 'a";touch PWNED;".cu', "a'b.cu", "a;b.cu", "a,b.cu"):
        put(name, KERNEL)
        _, found = answer(job(name, nvcc))
        assert [f["tag"] for f in found] == ["compile_environment"], (name, found)
        assert "shell" in found[0]["message"]
    assert not list(HERE.rglob("PWNED"))


# ---- with the real one ----

def real_plain():
    put("k.cu", '#include "scale.h"\n' + KERNEL)
    put("scale.h", "#define SCALE 2.0f\n")
    compiled, found = answer(job("k.cu"))
    assert compiled[0]["ok"] and not compiled[0]["cached"] and not found
    assert compiled[0]["arch"] == "sm_80" and compiled[0]["nvcc"] == NVCC and compiled[0]["version"]
    assert left_over() == []


def real_cache():
    compiled, _ = answer(job("k.cu"))
    assert compiled[0]["ok"] and compiled[0]["cached"] and compiled[0]["elapsed_ms"] < 5000
    assert not answer(job("k.cu", cache=False))[0][0]["cached"]
    assert not answer(job("k.cu"), "--no-cache")[0][0]["cached"]
    put("scale.h", "#define SCALE unknown_name\n")  # a header decides too
    compiled, found = answer(job("k.cu"))
    assert not compiled[0]["cached"] and [f["tag"] for f in found] == ["compile_error"]
    again, found_again = answer(job("k.cu"))
    assert again[0]["cached"] and found_again == found
    put("scale.h", "#define SCALE 2.0f\n")
    assert answer(job("k.cu"))[0][0]["cached"]
    assert not answer(job("k.cu", [{"path": NVCC, "opt": "-O1"}]))[0][0]["cached"]
    assert not answer(job("k.cu", [{"path": NVCC, "define": ["X=1"]}]))[0][0]["cached"]
    for p in (HERE / "cache" / "cmpd" / "compile").iterdir():  # damage
        p.write_bytes(p.read_bytes()[:-1] + b"\0")
    compiled, found = answer(job("k.cu"))
    assert compiled[0]["ok"] and not compiled[0]["cached"] and not found


def real_cache_elsewhere():
    """The same tree at another place is the same input."""
    shutil.copytree(HERE / "repo", HERE / "moved", symlinks=True)
    compiled, _ = answer(job("k.cu", root=str(HERE / "moved")))
    assert compiled[0]["cached"]


def real_shadowing_header():
    put("inc/late.h", "#define SCALE 1.0f\n")
    put("late.cu", '#include "late.h"\n' + KERNEL)
    nvcc = [{"path": NVCC, "include": ["first", "inc"]}]
    assert answer(job("late.cu", nvcc))[0][0]["ok"]
    assert answer(job("late.cu", nvcc))[0][0]["cached"]
    put("first/late.h", "#define SCALE broken(\n")  # found first from now on
    compiled, found = answer(job("late.cu", nvcc))
    assert not compiled[0]["ok"] and not compiled[0]["cached"], compiled


def real_several_toolkits():
    put("tma.cu", '__global__ void k(float *p) { asm volatile("fence.proxy.async;"); p[0] = 1; }\n')
    compiled, found = answer(job("tma.cu", [{"path": NVCC, "arch": "sm_90"}, {"path": NVCC, "arch": "sm_80"}]))
    assert [c["ok"] for c in compiled] == [True, False]
    assert [f["tag"] for f in found] == ["compile_environment"] and "sm_80)" in found[0]["message"], found


def real_policy_flags():
    lambdas = ("template <class F> __global__ void each(F f) { f(threadIdx.x); }\n"
               "void go(float *p) { each<<<1, 32>>>([=] __device__(int i) { p[i] = 1; }); }\n")
    put("lambda.cu", lambdas)
    assert answer(job("lambda.cu"))[1][0]["tag"] == "compile_environment"
    assert answer(job("lambda.cu", [{"path": NVCC, "flags": ["--extended-lambda"]}]))[0][0]["ok"]
    put("child.cu", "__global__ void c(float *p) { p[0] = 1; }\n"
                    "__global__ void k(float *p) { c<<<1, 1>>>(p); }\n")
    assert answer(job("child.cu"))[1][0]["tag"] == "compile_environment"
    assert answer(job("child.cu", [{"path": NVCC, "rdc": True}]))[0][0]["ok"]
    put("defined.cu", KERNEL)
    assert answer(job("defined.cu"))[1][0]["tag"] == "compile_error"
    assert answer(job("defined.cu", [{"path": NVCC, "define": ["SCALE=3.0f"]}]))[0][0]["ok"]
    put("newer.cu", "template <class T> concept C = true;\n__global__ void k(float *p) { p[0] = 1; }\n")
    assert answer(job("newer.cu", [{"path": NVCC, "std": "c++20"}]))[0][0]["ok"]


def real_little_memory():
    compiled, found = answer(job("k.cu", [{"path": NVCC, "memory_mib": 256, "opt": "-O0"}]))
    assert compiled[0]["ok"] or [f["tag"] for f in found] == ["compile_environment"], found


def real_header_alone():
    put("lib.cuh", "#pragma once\n__device__ inline float f(float x) { return 2 * x; }\n")
    assert answer(job("lib.cuh"))[0][0]["ok"]


def real_names():
    for name in ("sub dir/with blank.cu", "käse.cu", "a+b@c=d.cu"):
        put(name, "__global__ void k(float *p) { p[0] = nope; }\n")
        _, found = answer(job(name))
        assert [(f["tag"], f["line"], f["column"]) for f in found] == [("compile_error", 1, 38)], (name, found)


def main():
    for folder in ("repo", "tmp", "home", "cache"):
        (HERE / folder).mkdir(exist_ok=True)
    put("k.cu", KERNEL)
    names = [n for n in globals() if n.startswith("test_")]
    if os.access(NVCC, os.X_OK):
        names += [n for n in globals() if n.startswith("real_")]
    else:
        print(f"no nvcc at {NVCC}: the tests that need it are left out")
    only = sys.argv[1:]
    failed = 0
    for name in names:
        if only and name not in only:
            continue
        try:
            globals()[name]()
            print(f"ok {name}", flush=True)
        except AssertionError as e:
            failed += 1
            at = traceback.extract_tb(e.__traceback__)[-1]
            print(f"FAILED {name}: line {at.lineno}: {at.line}: {e}", flush=True)
    return 1 if failed else 0


sys.exit(main())
