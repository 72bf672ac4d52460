"""Each fixture carries its expectation; the runner must give exactly that.

  // expect: TAG            a finding of TAG on this line
  // expect-line: N TAG     on line N
  // expect-near: D TAG     on this line, or up to D lines from it
  // expect-file: TAG       on the file as a whole
A file of good/ has none: it must compile. One finding for each cause: more than expected fails too.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

NVCC = "/usr/local/cuda/bin/nvcc"


def jail(runner):
    """Where this machine can make no jail, the compiler goes without."""
    p = subprocess.run([runner, "--doctor", "--format", "json"], capture_output=True, text=True)
    checks = {c["name"]: c["ok"] for c in json.loads(p.stdout)["checks"]}
    return "auto" if checks.get("jail") else "none"


def expectations(path):
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        m = re.search(r"// expect(-\w+)?: (.*?)\s*$", line)
        if not m:
            continue
        kind, words = m.group(1) or "", m.group(2).split()
        if kind == "-line":
            found.append((int(words[0]), 0, words[1]))
        elif kind == "-near":
            found.append((number, int(words[0]), words[1]))
        elif kind == "-file":
            found.append((0, 0, words[0]))
        else:
            found.append((number, 0, words[0]))
    return found


def run(runner, path, how):
    job = {"schema": "cmpd.job.v1", "nonce": "fixture", "root": str(path.parent), "file": path.name,
           "nvcc": [{"path": NVCC}], "stages": ["compile"], "lifeline": False, "cache": False,
           "jail": how}
    if path.parent.name == "src":  # a repository with folders
        job["root"], job["file"] = str(path.parent.parent.parent), "sub/src/" + path.name
    p = subprocess.run([runner], input=json.dumps(job) + "\n", capture_output=True, text=True)
    if p.returncode != 0:
        return None, f"status {p.returncode}: {p.stderr.strip()}"
    lines = [json.loads(l) for l in p.stdout.splitlines()]
    if lines[-1] != {"end": "fixture", "lines": len(lines) - 1}:
        return None, f"no right end record: {lines[-1]}"
    return [l for l in lines if l.get("event") == "finding"], None


def judge(path, findings):
    left = list(findings)
    wrong = []
    for line, near, tag in expectations(path):
        hit = next((f for f in left if f["tag"] == tag and abs(f["line"] - line) <= near), None)
        if hit:
            left.remove(hit)
        else:
            wrong.append(f"expected {tag} on line {line}")
    return wrong + [f"unexpected {f['tag']} {f['line']}:{f['column']}: {f['message']}" for f in left]


def one(runner, how, path):
    findings, failure = run(runner, path, how)
    wrong = [failure] if failure else judge(path, findings)
    if "-v" in sys.argv and findings:
        for f in findings:
            print(f"{path.parent.name}/{path.name}:{f['line']}:{f['column']}: {f['tag']}: {f['message']}")
    return path, wrong


def main():
    runner, here = os.environ["CMPD_RUNNER_BIN"], pathlib.Path(__file__).resolve().parent
    if not os.access(NVCC, os.X_OK):
        print(f"skipped: no nvcc at {NVCC}")
        return 77
    only = [a for a in sys.argv[1:] if a != "-v"]
    paths = sorted(p for d in ("bad", "env", "good") for p in (here / d).rglob("*.cu"))
    if only:
        paths = [p for p in paths if p.stem in only]
    assert only or len(paths) > 50, "the fixtures are not there"
    for p in paths:
        assert expectations(p) or "good" in p.parts, f"{p} expects nothing"
    failed, how = 0, jail(runner)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, wrong in pool.map(lambda p: one(runner, how, p), paths):
            for w in wrong:
                print(f"{path.relative_to(here)}: {w}")
            failed += bool(wrong)
    print(f"{len(paths) - failed} of {len(paths)} fixtures as expected")
    return 1 if failed else 0


sys.exit(main())
