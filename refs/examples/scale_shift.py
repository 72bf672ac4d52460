#!/usr/bin/env python3
"""y = alpha * x + shift, shift along the columns: a reference of one's own as a command.

Any program will do that answers these two ways of calling it (the protocol is in ../outside.h):
  scale_shift.py describe
  scale_shift.py compute FOLDER dtype=f32 rows=3 cols=31 alpha=1.5
"""
import sys

DESCRIPTION = """\
cmpd-reference 1
name scale_shift
summary y = alpha * x + shift
dtypes f32,f16
arg in x shape=rows,cols aliases=input,src
arg in shift shape=cols aliases=bias values=-2:2
arg out y shape=rows,cols aliases=output,dst
arg dim rows aliases=m,batch
arg dim cols aliases=n,hidden
arg scalar alpha default=1 values=0.5:2
case one rows=1 cols=1
case odd rows=3 cols=31
case wide rows=2 cols=1027 inputs=large
case tall rows=259 cols=33 size=small
case big rows=4099 cols=1023 size=large
"""


def compute(folder, values):
    import numpy

    x = numpy.load(folder + "/x.npy")
    shift = numpy.load(folder + "/shift.npy")
    numpy.save(folder + "/y.out.npy", float(values["alpha"]) * x + shift)


if __name__ == "__main__":
    if sys.argv[1:] == ["describe"]:
        sys.stdout.write(DESCRIPTION)
    elif sys.argv[1:2] == ["compute"] and len(sys.argv) > 2:
        compute(sys.argv[2], dict(word.split("=", 1) for word in sys.argv[3:]))
    else:
        sys.exit("usage: scale_shift.py describe | compute FOLDER NAME=VALUE...")
