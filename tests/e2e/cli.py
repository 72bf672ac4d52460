#!/usr/bin/python3
"""The command line: help, usage errors, exit status, where output goes, and the small commands."""
import json
import os
import pty
import re
import signal
import stat
import subprocess

from e2e import CMPD, SOURCE, check, cmpd, done, write

KERNEL = "__global__ void k(float *a, int n)\n{\n    int i = threadIdx.x;\n    if (i < n)\n        a[i] = 0;\n}\n"
REVIEW = KERNEL.replace("a[i] = 0", 'printf("%d", i)').replace("__global__", "#include <cstdio>\n__global__")
REJECT = KERNEL + "void f(float *a, int n)\n{\n    k<<<1, 2048>>>(a, n);\n}\n"
DEFS = os.path.join(SOURCE, "bot")


def names(file, macro):
    with open(os.path.join(DEFS, file), encoding="utf-8") as f:
        return re.findall(rf'^{macro}\((\w+), (.*)\)$', f.read(), re.M)


def tags():
    with open(os.path.join(SOURCE, "analysis/verdict/tags.def"), encoding="utf-8") as f:
        return re.findall(r"^TAG\((\w+),", f.read(), re.M)


def usage():
    r = cmpd("--version")
    check(r.status == 0 and re.fullmatch(rb"cmpd \d+\.\d+\.\d+\n", r.out), f"--version: {r.status} {r.out}")
    for args in ((), ("nonsense",), ("check",), ("check", "--nonsense", "a.cu"), ("check", "--track"),
                 ("check", "--track", "sideways", "a.cu"), ("check", "--track=", "a.cu"), ("check", "--jobs", "0", "a.cu"),
                 ("check", "--jobs", "2x", "a.cu"), ("check", "-x", "a.cu"), ("check", "--executor", "moon", "a.cu"),
                 ("check", "--executor", "ssh:", "a.cu"), ("check", "--help=yes"), ("check", "--format", "xml", "a.cu"),
                 ("rules", "extra"), ("explain",), ("explain", "a", "b"), ("explain", "nothing_such"), ("doctor", "extra"),
                 ("init", "a", "b"), ("help", "nonsense")):
        r = cmpd(*args)
        check(r.status == 64, f"{args}: status {r.status}")
        check(r.err.startswith(b"cmpd: ") and r.err.count(b"\n") == 1, f"{args}: said {r.err}")
        check(not r.out, f"{args}: printed {r.out}")
    r = cmpd("check", "--fromat", "json", "a.cu")
    check(b"did you mean --format?" in r.err, f"no suggestion: {r.err}")
    r = cmpd("chekc", "a.cu")
    check(b"did you mean 'check'?" in r.err, f"no suggestion: {r.err}")
    r = cmpd("explain", "missing_sink")
    check(r.status == 64 and b"did you mean 'missing_sync'?" in r.err, f"no suggestion: {r.err}")
    for args in (("check", "--nonsense", "--format", "json"), ("check", "--format=json"), ("nonsense", "--format", "json"),
                 ("run", "--format", "json", "x")):
        r = cmpd(*args)
        doc = r.json()
        check(r.status == 64 and doc["error"]["exit_status"] == 64, f"{args}: {r.status} {doc}")


def commands():
    general = cmpd("help")
    check(general.status == 0 and general.out == cmpd("--help").out, "help and --help differ")
    options = [(row[0], row[1]) for row in names("options.def", "OPTION")]
    for name, rest in names("commands.def", "COMMAND"):
        check(name.encode() in general.out, f"help does not name {name}")
        if rest.startswith("false"):
            r = cmpd(name)
            check(r.status == 64 and b"not built yet" in r.err, f"{name}: {r.status} {r.err}")
            continue
        page = cmpd(name, "--help")
        check(page.status == 0 and page.out == cmpd("help", name).out, f"{name} --help and help {name} differ")
        for _, row in options:
            long = row.split('"')[1]
            if f"CMPD_FOR({name})" in row:
                check(f"--{long}".encode() in page.out, f"help of {name} does not name --{long}")


def statuses():
    write("pass.cu", KERNEL)
    write("review.cu", REVIEW)
    write("reject.cu", REJECT)
    static = ("check", "--track", "static")
    check(cmpd(*static, "pass.cu").status == 0, "PASS is not 0")
    check(cmpd(*static, "reject.cu").status == 1, "REJECT is not 1")
    check(cmpd(*static, "review.cu").status == 2, "REVIEW is not 2")
    check(cmpd(*static, "--fail-on", "reject", "review.cu").status == 0, "REVIEW with --fail-on reject is not 0")
    check(cmpd(*static, "--fail-on=reject", "reject.cu").status == 1, "REJECT with --fail-on reject is not 1")
    check(cmpd(*static, "pass.cu", "review.cu", "reject.cu").status == 1, "the worst verdict does not count")
    write("advisory.json", '{"policy": {"enforce": false}}')
    r = cmpd(*static, "--policy", "advisory.json", "reject.cu")
    check(r.status == 0 and b"advisory" in r.out and b"REJECT" in r.out, f"advisory: {r.status}")
    write("moved.json", '{"policy": {"tiers": {"launch_config_invalid": "note"}}}')
    r = cmpd(*static, "--policy", "moved.json", "reject.cu")
    check(r.status == 0 and b"note: launch_config_invalid" in r.out, f"moved to note: {r.status} {r.out}")
    r = cmpd(*static, "--format", "json", "pass.cu")
    check(r.json()["scope"] == "static" and r.json()["files"][0]["scope"] == "static", "scope is not stated")


def order_and_jobs():
    """Side by side and one by one give the same document, in the order given."""
    files = []
    for i in range(40):
        files.append(write(f"f{i:02}.cu", (KERNEL, REVIEW, REJECT)[i % 3]))
    outs = []
    for jobs in ("1", "8"):
        doc = cmpd("check", "--track", "static", "--format", "json", "--jobs", jobs, *files).json()
        for f in doc["files"]:
            f["static"].pop("elapsed_ms")
            f["static"].pop("timing_ms")
        outs.append(doc)
    check(outs[0] == outs[1], "--jobs changes the result")
    check([f["path"] for f in outs[0]["files"]] == files, "the order is not that of the command line")
    check([f["verdict"] for f in outs[0]["files"]][:3] == ["PASS", "REVIEW", "REJECT"], "verdicts")


def output():
    plain = cmpd("check", "--track", "static", "review.cu")
    r = cmpd("check", "--track", "static", "--output", "result.txt", "review.cu")
    with open("result.txt", "rb") as f:
        check(r.status == 2 and not r.out and f.read() == plain.out, "--output differs from standard output")
    r = cmpd("check", "--track", "static", "--output", "none/result.txt", "review.cu")
    check(r.status == 74 and b"none/result.txt" in r.err, f"--output into nothing: {r.status} {r.err}")
    os.mkfifo("result.fifo")
    reader = subprocess.Popen(["cat", "result.fifo"], stdout=subprocess.PIPE)
    r = cmpd("check", "--track", "static", "--output", "result.fifo", "review.cu")
    told = reader.communicate(timeout=60)[0]
    check(told == plain.out and stat.S_ISFIFO(os.stat("result.fifo").st_mode), "--output into a fifo")
    for args in (["check", "--track", "static", "pass.cu"], ["rules"], ["help"], ["--version"], ["explain", "missing_sync"]):
        with open("/dev/full", "wb") as full:
            p = subprocess.run([CMPD] + args, stdout=full, stderr=subprocess.PIPE, timeout=60)
        check(p.returncode == 74 and b"standard output" in p.stderr, f"{args} to a full disk: {p.returncode} {p.stderr}")
        read, out = os.pipe()
        os.close(read)
        p = subprocess.run([CMPD] + args, stdout=out, stderr=subprocess.PIPE, timeout=60)
        os.close(out)
        # As every other filter: quietly, by SIGPIPE.
        check(p.returncode == -signal.SIGPIPE and not p.stderr, f"{args} to a closed pipe: {p.returncode} {p.stderr}")
    p = subprocess.run(["/bin/sh", "-c", '"$0" check --track static pass.cu >&- 2>&-', CMPD], timeout=60)
    check(p.returncode in (0, 74), f"closed descriptors: {p.returncode}")


def on_terminal(env):
    """What cmpd writes to a terminal."""
    master, slave = pty.openpty()
    full = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    full.update(env)
    p = subprocess.Popen([CMPD, "check", "--track", "static", "reject.cu"], stdout=slave, stderr=slave, env=full)
    os.close(slave)
    out = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    p.wait()
    os.close(master)
    return out


def colour():
    check(b"\x1b[31m" in on_terminal({"TERM": "xterm"}), "no colour on a terminal")
    check(b"\x1b" not in on_terminal({"TERM": "xterm", "NO_COLOR": "1"}), "colour with NO_COLOR")
    check(b"\x1b" in on_terminal({"TERM": "xterm", "NO_COLOR": ""}), "an empty NO_COLOR counts")
    check(b"\x1b" not in on_terminal({"TERM": "dumb"}), "colour on a dumb terminal")
    check(b"\x1b" not in on_terminal({}), "colour without TERM")
    write("escape.cu", KERNEL + "// cmpd: allow \x1b[31mred\x1b]0;title\x07: x\n" + "int cudaMalloc\x1b[2J;\n")
    r = cmpd("check", "--track", "static", "escape.cu")
    check(b"\x1b" not in r.out and b"\x07" not in r.out, f"a file's escape sequences come through: {r.out}")


def small_commands():
    known = tags()
    r = cmpd("rules", "--format", "json")
    check([row["reason"] for row in r.json()["rules"]] == known, "rules lists other tags than the table")
    text = cmpd("rules").out.decode()
    check(all(re.search(rf"^{t} ", text, re.M) for t in known), "rules leaves tags out")
    for tag in known:
        r = cmpd("explain", tag)
        page = r.out.decode("utf-8")
        check(r.status == 0 and page.startswith(f"# {tag}\n"), f"explain {tag}: {r.status}")
        for part in ("## Example", "## Mended", "## Tier", "## What it misses", "## How to allow it"):
            check(part in page, f"the page of {tag} lacks '{part}'")
    r = cmpd("doctor", "--format", "json")
    doctor = r.json()
    found = {c["name"]: c for c in doctor["checks"]}
    for name in ("cmpd", "libgit2", "pcre2", "jansson", "tree-sitter", "data folder", "policy", "cmpd-runner", "nvcc", "GPU",
                 "user namespaces"):
        check(name in found, f"doctor says nothing of {name}")
    check(r.status == 0, f"doctor: {r.status}: {r.out}")
    check(all(c["ok"] is not False or c.get("advice") for c in doctor["checks"]), "doctor names a fault and no way out")
    r = cmpd("doctor", env={"CMPD_DATADIR": os.getcwd()})
    check(r.status == 69 and b"data folder" in r.out, f"doctor without data: {r.status}")
    r = cmpd("explain", "missing_sync", env={"CMPD_DATADIR": os.getcwd()})
    check(r.status == 66 and b"missing_sync.md" in r.err, f"explain without data: {r.status} {r.err}")
    write("broken.json", "{")
    r = cmpd("doctor", "--policy", "broken.json")
    check(r.status == 69 and b"broken.json" in r.out, f"doctor with a broken policy: {r.status}")


def main():
    usage()
    commands()
    statuses()
    order_and_jobs()
    output()
    colour()
    small_commands()
    done()


main()
