#!/usr/bin/env python3
"""kernels.py NAME: each bad kernel of NAME.cu is named on its line with its tag; no good one is.

Compiled with nvcc, linked with our runtime, run whole on the emulated device (run_candidate). The file's entry is
extern "C" int NAME(int number).
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(os.environ["CMPD_BUILD_DIR"], "testbin", "run_candidate")
NVCC = "/usr/local/cuda/bin/nvcc"


def expectations(path):
    """All numbers; number -> (list of tags, line or 0) of those whose bad variant is another."""
    found, numbers, number = {}, set(), None
    for line_number, line in enumerate(open(path), 1):
        if title := re.match(r"// (\d+) ", line):
            number = int(title.group(1))
        if case := re.match(r" *case (\d+):", line):
            numbers.add(int(case.group(1)))
        if bug := re.search(r"// BUG (\S+)", line):
            found[number] = (bug.group(1).split("|"), line_number)
        if host := re.match(r" *case (\d+): .*// HOST (\S+)", line):
            found[int(host.group(1))] = (host.group(2).split("|"), 0)
    return sorted(numbers), found


def compile_variant(path, variant):
    out = f"{variant}.o"
    flags = ["-DBAD"] if variant == "bad" else []
    subprocess.run([NVCC, "-arch=sm_80", "-std=c++17", "-lineinfo", *flags, "-c", path, "-o", out],
                   check=True)
    return out


def run(obj, name, number):
    """The set of (tag or note:tag, line), and everything that was printed."""
    done = subprocess.run([RUN, "--call", name, f"i32:{number}", "--", obj], text=True,
                          capture_output=True, timeout=120)
    seen = set()
    for kind, tag, line in re.findall(r"^(seen|note) (\w+) \S*?:(\d+) ", done.stdout, re.M):
        seen.add((tag if kind == "seen" else "note:" + tag, int(line)))
    return seen, done.stdout + done.stderr


def matches(expected, seen):
    tags, line = expected
    return any(tag in tags and (not line or abs(at - line) <= 1) for tag, at in seen)


def main():
    if not os.path.exists(NVCC):
        print("nvcc is not there: skipped")
        return 77
    name, failures = sys.argv[1], 0
    path = os.path.join(HERE, name + ".cu")
    numbers, expected = expectations(path)
    bad, good = compile_variant(path, "bad"), compile_variant(path, "good")
    for number in numbers:
        if number in expected:
            seen, text = run(bad, name, number)
            if not matches(expected[number], seen):
                failures += 1
                print(f"bad {number}: expected {expected[number]}, got {sorted(seen)}\n{text}")
        seen, text = run(good, name, number)
        if alarms := [s for s in seen if not s[0].startswith("note:")] or "end finished" not in text:
            failures += 1
            print(f"good {number}: {alarms}\n{text}")
    print(f"{failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
