#!/usr/bin/python3
"""From process start to verdict: the static track on one file, over and over.

  start_to_verdict.py [--runs N] CMPD FILE...

Prints for each file the median wall time, the median of user and system time, and the same for
`cmpd --version` in the same run, which is what a process costs before it does anything.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time


def one(command):
    """Wall and processor time of a run, in milliseconds."""
    before = os.times()
    begun = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall = (time.perf_counter() - begun) * 1e3
    after = os.times()
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("cmpd")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    jobs = [("--version", [args.cmpd, "--version"])]
    for path in args.files:
        with open(path, "rb") as source:
            lines = source.read().count(b"\n")
        name = f"{os.path.basename(path)} ({lines} lines)"
        jobs.append((name, [args.cmpd, "check", "--track", "static", path]))
    times = {name: [] for name, _ in jobs}
    for _ in range(args.runs):  # interleaved, so that a busy machine disturbs all alike
        for name, command in jobs:
            times[name].append(one(command))
    for name, _ in jobs:
        wall = statistics.median(w for w, _ in times[name])
        cpu = statistics.fmean(c for _, c in times[name])
        print(f"{name}: median {wall:.1f} ms wall, mean {cpu:.1f} ms processor time")


if __name__ == "__main__":
    main()
