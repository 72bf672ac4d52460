#!/usr/bin/python3
"""What a whole `cmpd check` costs beside the compiler alone, side by side in one run.

  tests/bench/check_cost.py [--turns 7] build/release/bin/cmpd FILE OP

Each turn works on a copy of the file that nobody has compiled before: nvcc -c with the flags of the compile stage; cmpd
check; cmpd check again, now cached. What is kept about the machine (toolkit, jail) is kept from a first turn that does
not count.
Printed: medians of wall time and the ratios to nvcc's.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

NVCC = "/usr/local/cuda/bin/nvcc"
FLAGS = ["-c", "-std=c++17", "-arch=sm_80", "-O2", "-lineinfo", "-w"]


def timed(argv, env):
    start = time.monotonic()
    run = subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - start, run.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("cmpd")
    parser.add_argument("file")
    parser.add_argument("op")
    args = parser.parse_args()
    columns = {"nvcc -c": [], "cmpd check": [], "cmpd check, cached": []}
    with open(args.file, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, XDG_CACHE_HOME=folder)
        file = os.path.join(folder, os.path.basename(args.file))
        check = [args.cmpd, "check", "--device", "emulator", "--op", args.op, file]
        for turn in range(args.turns + 1):
            with open(file, "w", encoding="utf-8") as f:
                f.write(f"{text}\n// {turn}\n")
            took = {"nvcc -c": timed([NVCC, *FLAGS, file, "-o", folder + "/x.o"], env)}
            for name in ("cmpd check", "cmpd check, cached"):
                took[name] = timed(check, env)
                if took[name][1] not in (0, 1, 2):
                    raise SystemExit(f"{' '.join(check)}: exit status {took[name][1]}")
            for name, (seconds, _) in took.items():
                if turn:
                    columns[name].append(seconds)
    alone = statistics.median(columns["nvcc -c"])
    for name, seconds in columns.items():
        median = statistics.median(seconds)
        print(f"{name:20} {median * 1e3:7.0f} ms   {median / alone:5.2f}x")


main()
