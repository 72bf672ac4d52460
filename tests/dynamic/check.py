#!/usr/bin/python3
"""Runs the dynamic track over labelled files on the emulated device and compares it with their tables.

  CMPD_BIN=.../cmpd tests/dynamic/check.py cases|kinds|hostile [FILE...]

cases    operators, right and wrong, and files that try to pass without honest work; columns as the table's header says
kinds    what each kind of file gets (a launcher, a kernel alone, a whole program, ...)
hostile  host code that does what a launcher must not; afterwards nothing of it may run

A row that differs from its table is printed; the exit status is 1 then, 77 where nothing can be run here.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
NVCC = "/usr/local/cuda/bin/nvcc"
ANYWHERE = {"perf_inconclusive", "faster_than_possible", "no_baseline", "runner_unavailable"}
SLOW = 5 if os.environ.get("CMPD_SANITIZED") == "1" else 1


def rows(folder, table):
    with open(os.path.join(HERE, folder, table), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def judge(folder, file, options):
    run = subprocess.run(
        [os.environ["CMPD_BIN"], "check", "--device", "emulator", "--format", "json", file, *options],
        cwd=os.path.join(HERE, folder), capture_output=True, text=True, timeout=120 * SLOW, check=False)
    try:
        return json.loads(run.stdout)["files"][0]
    except (ValueError, KeyError, IndexError):
        return {"verdict": f"exit status {run.returncode}: {run.stderr.strip()[:300]}", "findings": []}


def counted(entry):
    return [f for f in entry["findings"] if f["tier"] != "note"]


def told(entry):
    words = [f"{f['reason']}@{f.get('line', '-')}({f['tier']}): {f['message'][:160]}" for f in counted(entry)]
    return entry["verdict"] + "".join("\n      " + w for w in words)


def fault_of_case(row, entry):
    _, _, expected, tags, line, _ = row
    tags = set() if tags == "-" else set(tags.split(","))
    have = {f["reason"] for f in counted(entry)}
    if expected == "pass-or-review":
        if entry["verdict"] not in ("PASS", "REVIEW"):
            return "rejected"
        return "also " + ",".join(sorted(have - tags - ANYWHERE)) if have - tags - ANYWHERE else None
    verdicts = ("REJECT",) if expected == "reject" else ("REJECT", "REVIEW")
    if entry["verdict"] not in verdicts:
        return "verdict differs"
    if not tags & have:
        return "no finding with one of its tags"
    lines = {f.get("line", 0) for f in counted(entry) if f["reason"] in tags}
    known = line == "-" or row[0] in LINES_ELSEWHERE or any(abs(at - int(line)) <= 1 for at in lines)
    return None if known else "on another line"


# The fault shows where the wrong value is stored or read, not where it arises: for a wrong formula, a wait too weak or
# memory freed too early only a person knows the line.
LINES_ELSEWHERE = {"bad/b03_transpose.cu", "bad/b04_matmul.cu", "bad/b05_softmax.cu", "bad/b10_layernorm.cu",
                   "hack/h04_relu.cu", "own/o02_matmul.cu", "own/o09_reduce_sum.cu", "own/o25_matmul.cu",
                   "own/o27_gelu.cu", "own/o28_add.cu"}


def fault_of_kind(row, entry):
    _, _, verdict, tags = row[:4]
    have = {f["reason"] for f in entry["findings"]}
    if entry["verdict"] not in verdict.split("|"):
        return "verdict differs"
    if tags != "-" and not set(tags.split(",")) & have:
        return "no finding with one of its tags"
    words = row[4].split("|") if len(row) > 4 else []
    if words and not any(w in f["message"] for f in counted(entry) for w in words):
        return "its message says none of: " + ", ".join(words)
    return None


def options_of(area, row):
    if area == "cases":
        return ["--op", row[1]]
    return [] if row[1] == "-" else row[1].split()


def left_running():
    """Candidates that outlived their runner: it takes the folder with their library away when it ends."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith("/cmpd-candidate") and len(words) > 1 and not os.path.exists(words[1]):
            left.append(pid)
    return left


def main():
    area, only = sys.argv[1], sys.argv[2:]
    if not os.path.exists(NVCC):
        print(f"skipped: {NVCC} is not there")
        return 77
    wrong = total = 0
    todo = [row for row in rows(area, {"cases": "expect.tsv"}.get(area, area + ".tsv"))
            if not only or any(o in row[0] for o in only)]
    # Hostile code is looked at one by one, so that what is left of it has a name.
    with ThreadPoolExecutor(1 if area == "hostile" else os.cpu_count()) as pool:
        entries = list(pool.map(lambda row: judge(area, row[0], options_of(area, row)), todo))
    for row, entry in zip(todo, entries):
        if any("no jail" in f["message"] or "user namespaces" in f["message"] for f in entry["findings"]):
            print("skipped: no jail can be made here:", told(entry))
            return 77
        fault = (fault_of_case if area == "cases" else fault_of_kind)(row, entry)
        total += 1
        if fault:
            wrong += 1
            print(f"{row[0]}: {fault}; expected {' '.join(row[2:5])}, got {told(entry)}")
    if area == "hostile" and left_running():
        wrong += 1
        print("still running:", left_running())
    print(f"{area}: {total - wrong} of {total} as expected")
    return 1 if wrong else 0


sys.exit(main())
