#!/usr/bin/python3
"""Holds column 7 of the tables against nvcc. A tool for whoever edits the files, not a test.

  tests/cases/compile_check.py [--nvcc PATH] [--jobs N] [FOLDER or FILE...]

Every file must compile, but for those that the table marks "nocompile", which must not. Files given
by path (for instance those that looks.py --keep left) must compile.
"""
import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from concurrent.futures import ThreadPoolExecutor

from cases_common import FOLDERS, HERE, read_table

FLAGS = ["-c", "-std=c++17", "-arch=sm_80", "-O2", "-lineinfo", "-o", os.devnull]


def compiles(nvcc, path):
    done = subprocess.run([nvcc, *FLAGS, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0, done.stdout.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", nargs="*", metavar="FOLDER or FILE")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    work = []
    for what in options.what or FOLDERS:
        if what in FOLDERS:
            work += [(os.path.join(HERE, what, c.file), not c.nocompile) for c in read_table(what)]
        else:
            work.append((what, True))
    wrong = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda job: compiles(options.nvcc, job[0]), work)
        for (path, wanted), (ok, output) in zip(work, results):
            if ok != wanted:
                wrong += 1
                print(f"{os.path.relpath(path)}: {'compiles' if ok else 'does not compile'}")
                if not ok:
                    print("\n".join("    " + line for line in output.splitlines()[:5]))
    print(f"{len(work) - wrong} as expected, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
