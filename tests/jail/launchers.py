"""Launchers that do what is no launcher's affair, through the front door: each is rejected and its deed named, on the
line of the launcher or of the deed; honest ones pass. Then many in a row: nothing is left running, no file stays, and
what they wanted to read or write is as it was."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

CMPD = os.environ["CMPD_BIN"]
NVCC = "/usr/local/cuda/bin/nvcc"
HERE = pathlib.Path.cwd()
SECRET = "a-secret-that-nobody-may-see"
IN_A_ROW = 40 if os.environ.get("CMPD_SANITIZED") == "1" else 200

SOURCE = """#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

%s

extern "C" void relu(const float *x, float *y, int n)
{
    %s
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""

# name: (before the launcher, in it, tag, part of the message); no tag: an honest one
LAUNCHERS = {
    "reads": ("", 'FILE *f = fopen("SECRET_FILE", "r"); char b[99]; if (f) puts(fgets(b, 99, f));',
              "forbidden_host_action", "opens the file"),
    "writes": ("", 'FILE *f = fopen("MARK_FILE", "w"); if (f) fputs("x", f);',
               "forbidden_host_action", "opens to write the file"),
    "removes": ("", 'if (unlink("SECRET_FILE") == 0) puts("gone");', "forbidden_host_action", "removes the file"),
    "network": ("", "int s = socket(AF_INET, SOCK_STREAM, 0); if (s >= 0) close(s);",
                "forbidden_host_action", "opens a socket, IPv4"),
    "forks": ("", "for (;;) if (fork() == 0) for (;;) fork();", "forbidden_host_action", "starts a process"),
    "shell": ("", 'if (system("id > MARK_FILE") == 0) puts("done");', "forbidden_host_action", "starts a process"),
    "replaces": ("", 'execl("/bin/sh", "sh", "-c", "true", (char *)0);', "forbidden_host_action",
                 "starts the program /bin/sh"),
    "traces": ("", "ptrace(PTRACE_ATTACH, getppid(), 0, 0);", "forbidden_host_action", "traces a process"),
    "kills": ("", "kill(-1, SIGKILL);", "forbidden_host_action", "sends signal 9"),
    "leaves": ("", "_exit(0);", "forbidden_host_action", "ends the process"),
    "leaves_early": ("struct early { early() { _exit(0); } } instance;", "", "forbidden_host_action",
                     "ends the process"),
    "forges": ("", 'for (int fd = 0; fd < 64; fd++) dprintf(fd, "{\\"end\\": \\"n\\", \\"lines\\": 1}\\n");',
               "forbidden_host_action", "socket"),
    "floods": ("", 'for (;;) puts("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");',
               "forbidden_host_action", "output"),
    "grabs": ("", "for (;;) { char *p = (char *)malloc(1 << 24); if (!p) abort(); memset(p, 1, 1 << 24); }",
              "forbidden_host_action", "memory"),
    "keys": ("", "syscall(SYS_keyctl, 0, -3, 1);", "forbidden_host_action", "keys"),
    "spins": ("", "for (volatile long i = 0;; i = i + 1);", "timeout", "does not come to an end"),
    "asks": ("", 'if (getenv("HOME")) printf("%s %d\\n", getenv("HOME"), isatty(1));', None, ""),
    "works": ("", "int done = 0; std::thread t([&] { done = 1; }); t.join();", None, ""),
}
SLOW = {"spins", "grabs"}  # not among the many in a row


def environment():
    env = {"PATH": "/usr/bin:/bin", "HOME": str(HERE / "home"), "TMPDIR": str(HERE / "tmp"),
           "XDG_CACHE_HOME": str(HERE / "cache")}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CMPD_DATADIR"):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


def check(name):
    p = subprocess.run([CMPD, "check", f"repo/{name}.cu", "--op", "relu", "--track", "dynamic", "--format", "json"],
                       capture_output=True, text=True, env=environment(), timeout=500)
    assert SECRET not in p.stdout + p.stderr, f"{name}: it got the secret out"
    result = json.loads(p.stdout)["files"][0]
    if "runner_unavailable" in result["reasons"]:
        for f in result["findings"]:
            if f["reason"] == "runner_unavailable" and "no jail" in f["message"]:
                print(f"skipped: {f['message']}")
                sys.exit(77)
    return result


def judge(name, result):
    _, _, tag, part = LAUNCHERS[name]
    dynamic = [f for f in result["findings"] if f["track"] == "dynamic" and f["tier"] != "note"]
    if tag is None:
        return f"an honest one: {[f['message'] for f in dynamic]}" if dynamic else None
    if result["verdict"] == "PASS":
        return "it passed"
    if tag == "forbidden_host_action" and result["verdict"] != "REJECT":
        return f"verdict {result['verdict']}, reasons {result['reasons']}"
    if not any(f["reason"] == tag and part in f["message"] for f in dynamic):
        return f"'{part}' is nowhere in {[f['message'] for f in dynamic]}"
    return None


def left_running():
    """Processes that have our folder among their arguments."""
    found = []
    for d in pathlib.Path("/proc").iterdir():
        if not d.name.isdigit() or int(d.name) == os.getpid():
            continue
        try:
            line = (d / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(HERE / "tmp") in line:
            found.append(line.replace("\0", " "))
    return found


def write_sources():
    for folder in ("repo", "tmp", "home", "cache"):
        (HERE / folder).mkdir(exist_ok=True)
    secret = HERE / "home" / "secret"
    secret.write_text(SECRET + "\n")
    for name, (before, inside, _, _) in LAUNCHERS.items():
        text = SOURCE % (before, inside)
        text = text.replace("SECRET_FILE", str(secret)).replace("MARK_FILE", str(HERE / "home" / "mark"))
        (HERE / "repo" / f"{name}.cu").write_text(text)


def main():
    if not os.access(NVCC, os.X_OK):
        print(f"skipped: no nvcc at {NVCC}")
        return 77
    write_sources()
    failed = 0
    for name in LAUNCHERS:
        wrong = judge(name, check(name))
        if wrong:
            print(f"FAILED {name}: {wrong}", flush=True)
            failed += 1
    names = [n for n in LAUNCHERS if n not in SLOW]
    row = [names[i % len(names)] for i in range(IN_A_ROW)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(row, pool.map(check, row)):
            wrong = judge(name, result)
            if wrong:
                print(f"FAILED {name} among many: {wrong}", flush=True)
                failed += 1
    until = time.time() + 2
    while left_running() and time.time() < until:
        time.sleep(0.05)
    for what, there in (("running", left_running()), ("files", list((HERE / "tmp").iterdir()))):
        if there:
            print(f"FAILED: left {what}: {there}")
            failed += 1
    if (HERE / "home" / "secret").read_text() != SECRET + "\n" or (HERE / "home" / "mark").exists():
        print("FAILED: a file outside was touched")
        failed += 1
    print(f"{len(LAUNCHERS)} launchers, {IN_A_ROW} in a row, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
