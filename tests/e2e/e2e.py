"""What the end-to-end tests share: running cmpd, and complaints that are counted."""
import json
import os
import subprocess
import sys

CMPD = os.environ["CMPD_BIN"]
SOURCE = os.environ["CMPD_SOURCE_DIR"]
SANITIZED = os.environ.get("CMPD_SANITIZED") == "1"

failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)
    return ok


def done():
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def json(self):
        return json.loads(self.out.decode("utf-8"))


def cmpd(*args, stdin=b"", timeout=60, env=None, limit_kib=None, cwd=None):
    """Runs cmpd; a program that hangs or dies by a signal is a failure of its own."""
    argv = [os.fsencode(CMPD)] + [a if isinstance(a, bytes) else os.fsencode(a) for a in args]
    if limit_kib and not SANITIZED:
        # The sanitizers reserve terabytes of address space.
        argv = [b"/bin/sh", b"-c", b'ulimit -v "$0" && exec "$@"', str(limit_kib).encode()] + argv
    full = dict(os.environ, **(env or {}))
    try:
        p = subprocess.run(argv, input=stdin, capture_output=True, timeout=timeout, env=full, cwd=cwd)
    except subprocess.TimeoutExpired:
        check(False, f"cmpd {args} took over {timeout} s")
        return Result(-1, b"", b"")
    check(p.returncode >= 0, f"cmpd {args} died by signal {-p.returncode}: {p.stderr[-2000:]}")
    check(b"Sanitizer" not in p.stderr and b"runtime error" not in p.stderr,
          f"cmpd {args}: {p.stderr[-4000:]}")
    return Result(p.returncode, p.stdout, p.stderr)


def write(name, data):
    with open(name, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return name
