#!/usr/bin/env python3
"""Our runtime's tables, from an installed toolkit.

  generate.py [--toolkit DIR]           rewrite errors.def and exports.def
  generate.py --check [--toolkit DIR]   compare them, the types and the prototypes with the toolkit's;
                                        77: there is no toolkit

Names and texts of errors come from the toolkit's own libcudart (which answers without a GPU), the
exported names from its symbol table, everything else from its headers through the C compiler.
"""

import argparse
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HIGHEST_ERROR = 20000
# Exported by CUDA 12's library and gone from 13's (CUDA 12.9 headers and release notes).
ONLY_IN_12 = """
cudaEventElapsedTime_v2 cudaGetDeviceProperties_v2 cudaGraphAddDependencies_v2 cudaGraphAddNode_v2
cudaGraphGetEdges_v2 cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependentNodes_v2
cudaGraphRemoveDependencies_v2 cudaLaunchCooperativeKernelMultiDevice cudaMemAdvise_v2
cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync_v2_ptsz cudaSetDoubleForDevice cudaSetDoubleForHost
cudaSignalExternalSemaphoresAsync_v2 cudaSignalExternalSemaphoresAsync_v2_ptsz
cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v2_ptsz cudaStreamGetCaptureInfo_v3
cudaStreamGetCaptureInfo_v3_ptsz cudaStreamUpdateCaptureDependencies_v2
cudaStreamUpdateCaptureDependencies_v2_ptsz cudaThreadExit cudaThreadGetCacheConfig
cudaThreadGetLimit cudaThreadSetCacheConfig cudaThreadSetLimit cudaThreadSynchronize
cudaWaitExternalSemaphoresAsync_v2 cudaWaitExternalSemaphoresAsync_v2_ptsz
""".split()


def real_library(toolkit):
    for pattern in ("lib64/libcudart.so", "lib/libcudart.so", "targets/*/lib/libcudart.so"):
        for path in sorted(glob.glob(os.path.join(toolkit, pattern))):
            return path
    return None


def errors(path):
    lib = ctypes.CDLL(path)
    for f in (lib.cudaGetErrorName, lib.cudaGetErrorString):
        f.restype = ctypes.c_char_p
    unknown = lib.cudaGetErrorName(-12345)
    for code in range(HIGHEST_ERROR):
        name, text = lib.cudaGetErrorName(code), lib.cudaGetErrorString(code)
        if name != unknown:
            yield code, name.decode(), text.decode()


def errors_def(path):
    out = ["/* Every error with the runtime's own name and text. Written by generate.py. */\n"]
    out += ['ERROR(%d, %s, "%s")\n' % (code, name, text.replace('"', '\\"'))
            for code, name, text in errors(path)]
    return "".join(out)


def exported(path):
    text = subprocess.run(["nm", "-D", "--defined-only", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    names = set()
    for line in text.splitlines():
        name = line.split()[-1].split("@")[0]
        if re.match(r"(__)?cuda[A-Z]", name):
            names.add(name)
    return names


def declared(toolkit):
    """Functions that the headers declare for hosts, under the names that they are linked by."""
    text = open(os.path.join(toolkit, "include", "cuda_runtime_api.h"), encoding="utf-8").read()
    return set(re.findall(r"CUDARTAPI\s+(cuda[A-Z]\w*)\s*\(", text))


def exports_def(toolkit):
    names = exported(real_library(toolkit)) | declared(toolkit) | set(ONLY_IN_12)
    # Static in the header: they call what is exported.
    names -= {"cudaStreamGetAttribute_", ""}
    return ("/* Every name that a CUDA 12 or 13 runtime library exports. Written by generate.py. */\n"
            + "".join("EXPORT(%s)\n" % n for n in sorted(names)))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def compile_and_run(source, includes):
    with tempfile.TemporaryDirectory() as tmp:
        c, exe = os.path.join(tmp, "t.c"), os.path.join(tmp, "t")
        with open(c, "w", encoding="utf-8") as f:
            f.write(source)
        r = subprocess.run(["cc", "-std=gnu11", "-w", *["-I" + i for i in includes], c, "-o", exe],
                           text=True, stderr=subprocess.PIPE)
        if r.returncode:
            return None, r.stderr
        return subprocess.run([exe], check=True, text=True, stdout=subprocess.PIPE).stdout, ""


def members(text):
    """(type as C writes it, [members]) of every structure and union of api_types.h but our own."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for m in re.finditer(r"^(typedef )?(struct|union) (\w+) \{\n(.*?)^\}", text, re.S | re.M):
        if m.group(3).startswith("cmpd_"):
            continue
        body = re.sub(r"\{.*?\}", "", m.group(4), flags=re.S)
        names = []
        for line in body.split(";"):
            names += [re.sub(r"\[.*", "", d).split()[-1].lstrip("*")
                      for d in line.split(",") if d.split()]
        yield "%s %s" % (m.group(2), m.group(3)), [n for n in names if n not in ("pad", "struct")]


def layout_source(header, text):
    out = ["#include <stdio.h>\n#include <stddef.h>\n#include %s\nint main(void)\n{\n" % header]
    for kind, names in members(text):
        if kind.endswith("CUuuid_st"):
            continue
        out.append('printf("%s %%zu\\n", sizeof(%s));\n' % (kind, kind))
        out += ['printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n'
                % (kind, n, kind, n, kind, n) for n in names]
    for enumerator in re.findall(r"^\s+(cuda\w+) = -?\d+,", text, re.M):
        out.append('printf("%s %%d\\n", (int)%s);\n' % (enumerator, enumerator))
    out.append("return 0;\n}\n")
    return "".join(out)


def differ(what, ours, theirs):
    bad = 0
    for a, b in zip(ours.splitlines(), theirs.splitlines()):
        if a != b:
            print("%s: ours '%s', the toolkit's '%s'" % (what, a, b))
            bad += 1
    if len(ours.splitlines()) != len(theirs.splitlines()):
        print("%s: %d lines of ours, %d of the toolkit's"
              % (what, len(ours.splitlines()), len(theirs.splitlines())))
        bad += 1
    return bad


def check_layouts(include):
    text = read("api_types.h")
    ours, why = compile_and_run(layout_source('"gpu-runner/cudart/api_types.h"', text), [ROOT])
    theirs, why2 = compile_and_run(layout_source("<cuda_runtime_api.h>", text), [include])
    if ours is None or theirs is None:
        print("layouts: does not compile:\n" + why + why2)
        return 1
    return differ("layout", ours, theirs)


def check_prototypes(include):
    """The C compiler compares: a prototype of ours after the toolkit's own must say the same."""
    calls = re.sub(r"^#include.*$", "", read("api_calls.h"), flags=re.M)
    source = "#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n" + calls + "int main(void) { return 0; }\n"
    out, why = compile_and_run(source, [include])
    if out is None:
        print("prototypes: they differ from the toolkit's\n" + why)
        return 1
    return 0


def check_attributes(include):
    rows = re.findall(r"^ATTRIBUTE\((\w+), (\d+),", read("attributes.def"), re.M)
    source = ("#include <stdio.h>\n#include <cuda_runtime_api.h>\nint main(void)\n{\n"
              + "".join('printf("%s %%d\\n", (int)%s);\n' % (n, n) for n, _ in rows) + "}\n")
    theirs, why = compile_and_run(source, [include])
    if theirs is None:
        print("attributes: " + why)
        return 1
    return differ("attribute", "".join("%s %s\n" % r for r in rows), theirs)


def check(toolkit):
    include = os.path.join(toolkit, "include")
    bad = 0
    # An older or newer toolkit knows fewer or more; what both know must agree.
    real = dict((c, (n, t)) for c, n, t in errors(real_library(toolkit)))
    ours = dict((int(c), (n, t)) for c, n, t in
                re.findall(r'^ERROR\((\d+), (\w+), "(.*)"\)$', read("errors.def"), re.M))
    for code in sorted(set(real) & set(ours)):
        if real[code] != ours[code]:
            print("error %d: ours %s, the toolkit's %s" % (code, ours[code], real[code]))
            bad += 1
    for code in sorted(set(real) - set(ours)):
        print("error %d: %s is missing" % (code, real[code][0]))
        bad += 1
    listed = set(re.findall(r"^EXPORT\((\w+)\)$", read("exports.def"), re.M))
    for name in sorted((exported(real_library(toolkit)) | declared(toolkit)) - listed):
        print("export: %s is missing" % name)
        bad += 1
    if os.path.exists(os.path.join(include, "cuda_runtime_api.h")):
        version = re.search(r"#define CUDART_VERSION\s+(\d+)",
                            open(os.path.join(include, "cuda_runtime_api.h"), encoding="utf-8").read())
        if version and int(version.group(1)) // 1000 == 13:
            bad += check_layouts(include) + check_prototypes(include) + check_attributes(include)
    print("%d differences" % bad)
    return 1 if bad else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--toolkit", default="/usr/local/cuda")
    p.add_argument("--check", action="store_true")
    args = p.parse_args()
    if not real_library(args.toolkit):
        print("no libcudart below %s: nothing to compare with" % args.toolkit)
        return 77
    if args.check:
        return check(args.toolkit)
    for name, text in (("errors.def", errors_def(real_library(args.toolkit))),
                       ("exports.def", exports_def(args.toolkit))):
        with open(os.path.join(HERE, name), "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
