#!/usr/bin/env python3
"""Writes the conformance cases of all groups, or of those named: generate.py OUTPUT [group...]

The same bytes on every run. With PTXAS=path in the environment each module is also given to that assembler.
"""
import importlib
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from suite import Suite  # noqa: E402

GROUPS = ('int', 'float', 'half', 'cvt', 'mem', 'warp', 'flow', 'matrix', 'async')


def assemble(ptxas, text):
    arch = text.split(b'.target ')[1].split()[0].decode()
    with open('module.ptx', 'wb') as f:
        f.write(text)
    done = subprocess.run([ptxas, '-arch=' + arch, 'module.ptx', '-o', '/dev/null'], stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit('%s refuses a module:\n%s' % (ptxas, (done.stdout + done.stderr).decode()[:3000]))


def main():
    out = open(sys.argv[1], 'wb')
    out.write(b'CMPDPTX1')
    for group in sys.argv[2:] or GROUPS:
        suite = Suite()
        importlib.import_module('cases_' + group).run(suite)
        suite.flush()
        for part in suite.out:
            out.write(part)
            if 'PTXAS' in os.environ:
                size = struct.unpack_from('<I', part)[0]
                assemble(os.environ['PTXAS'], part[8:8 + size])
    out.write(struct.pack('<II', 0, 0))
    out.close()


if __name__ == '__main__':
    main()
