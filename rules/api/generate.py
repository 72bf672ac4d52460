#!/usr/bin/env python3
"""Builds the CUDA API lists from the headers of an installed toolkit.

  generate.py [--include DIR] [--nvcc PATH] [--toolkit 13.0]   rebuild cuda-13.0.json and api.tbl
  generate.py --table                                          rebuild api.tbl from the JSON files
  generate.py --check                                          say whether api.tbl agrees with them
  generate.py --list 12.4                                      print the allow list of one version

Needs Python 3 alone for --table, --check and --list; a rebuild also runs `nvcc -E`.

Files beside this script:
  cuda-13.0.json  allow list: every name that the headers know.  Written here.
  blocklist.json  removed and deprecated names, what to use instead.  Kept by hand.
  host.json       host-only functions, foreign libraries, macros of others.  Kept by hand.
  history.tsv     versions that added, deprecated or removed a name.  Kept by hand.
  api.tbl         all of these, sorted, one name a line: what the program reads.  Written here.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import headers as hdr

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE_SCHEMA = "cmpd.api.tbl.1"

# One translation unit each; a header that does not compile here costs its own unit alone.
UNITS = {
    "runtime": ["cuda_runtime.h", "cuda_profiler_api.h"],
    "gl": ["cuda_runtime.h", "cuda_gl_interop.h", "cuda_egl_interop.h", "cuda_vdpau_interop.h"],
    "driver": ["cuda.h", "cudaProfiler.h", "cudaTypedefs.h", "cudaProfilerTypedefs.h"],
    "drivergl": ["cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"],
    "device": ["cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h",
               "cuda_fp4.h", "cuComplex.h", "mma.h", "math_constants.h", "cuda_occupancy.h",
               "device_launch_parameters.h", "library_types.h", "channel_descriptor.h",
               "texture_indirect_functions.h", "surface_indirect_functions.h"],
    "coop": ["cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
             "cooperative_groups/memcpy_async.h", "cuda_pipeline.h", "cuda_awbarrier.h"],
    "curand": ["curand.h", "curand_kernel.h", "curand_mtgp32_host.h"],
    "libs": ["cublas_v2.h", "cublasLt.h", "cublasXt.h", "cufft.h", "cufftXt.h", "cufftw.h",
             "cusparse.h", "cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h"],
    "cublas_v1": ["cublas.h"],
    "tools": ["nvrtc.h", "nvJitLink.h", "nvtx3/nvToolsExt.h", "nvtx3/nvToolsExtCuda.h",
              "nvtx3/nvToolsExtCudaRt.h", "nvtx3/nvToolsExtSync.h", "nvvm.h"],
}
ARCHES = ["sm_80", "sm_90a", "sm_100a"]
STUBS = {  # what graphics headers would bring, as far as ours name it
    "GL/gl.h": "typedef unsigned int GLuint; typedef unsigned int GLenum;",
    "EGL/egl.h": "typedef int EGLint;",
    "EGL/eglext.h": "typedef void *EGLStreamKHR; typedef void *EGLImageKHR; typedef void *EGLSyncKHR;",
    "vdpau/vdpau.h": "typedef unsigned int VdpDevice; typedef unsigned int VdpVideoSurface;"
                     "typedef unsigned int VdpOutputSurface; typedef int VdpGetProcAddress;",
}
KIND_OF_FILE = [  # first match names the kind of a function
    (r"/cuda_runtime_api\.h$|/cuda_profiler_api\.h$|/cuda_\w+_interop\.h$", "runtime"),
    (r"/cuda_device_runtime_api\.h$", "devrt"),
    (r"/cuda_runtime\.h$|/channel_descriptor\.h$", "wrapper"),
    (r"/cuda\.h$|/cudaProfiler\.h$|/cuda(GL|EGL|VDPAU)\.h$", "driver"),
    (r"/cooperative_groups(\.h$|/)", "coop"),
    (r"/cuda_pipeline|/cuda_awbarrier", "pipeline"),
    (r"/vector_functions\.h", "vector"),
    (r"/cu(blas|fft|sparse|solver|rand)|/nvrtc|/nvJitLink|/nvtx3/|/nvvm|/cudalibxt", "library"),
]
KIND_RANK = ["runtime", "driver", "wrapper", "devrt", "vector", "device", "coop", "pipeline", "library",
             "type", "enumerator", "object", "base_macro", "macro", "word"]
FAMILY = re.compile(r"^(cuda|cu[A-Z]|CU[A-Z_]|__\w|atomic|nv[A-Za-z]|NV[A-Z_]|"
                    r"cu(blas|fft|rand|sparse|solver))")
NOT_READ = re.compile(r"^(cupti|nvperf|cudnn|nccl|generated_|nv_decode|nvblas|curand_mtgp32dc|"
                      r"curand_precalc|Openacc|Openmp)")
INTERNAL = re.compile(r"^__(CUDACDP|cudaCDP|nv_builtin|nvvm|nv_ptx|DEF_|PREPROC|UNDEF|SM_|"
                      r"CUDA_INCLUDE|CUDNV|NV_|cuda_local|float_simpl|internal_|cccl|cudart_|cg_)")
PREPROC = re.compile(r"_H_*$|_HPP_*$|_DECL__$|INCLUDED")


def version_number(text):
    """'12.4' -> 12040, as CUDA_VERSION counts; '' -> 0."""
    if not text:
        return 0
    major, _, minor = text.partition(".")
    return int(major) * 1000 + int(minor or 0) * 10


def version_text(number):
    return "%d.%d" % (number // 1000, number % 1000 // 10) if number else ""


def preprocess(nvcc, include, names, arch, stub_dir):
    """Runs nvcc -E over the headers named; returns the text, or '' where they don't compile."""
    with tempfile.NamedTemporaryFile("w", suffix=".cu", delete=False) as unit:
        unit.writelines('#include "%s"\n' % n for n in names)
    try:
        done = subprocess.run([nvcc, "-E", "-arch=" + arch, "-rdc=true", "-std=c++17", "-I", include,
                               "-I", stub_dir, unit.name], capture_output=True, text=True, check=False)
    finally:
        os.unlink(unit.name)
    if done.returncode != 0:
        print("generate.py: %s does not preprocess:\n%s" % (names, done.stderr[:400]), file=sys.stderr)
        return ""
    return done.stdout


def write_stubs(folder):
    for name, text in STUBS.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write("#pragma once\n" + text + "\n")


def kind_of(decl):
    if decl.kind in ("type", "enumerator", "object"):
        return decl.kind
    for pattern, kind in KIND_OF_FILE:
        if re.search(pattern, decl.file):
            return kind
    return "device" if "device" in decl.where else "object"


def is_toolkit(path, include):
    folder = os.path.realpath(os.path.dirname(path)) + "/"
    return folder.startswith(include + "/") and "/cccl/" not in folder


def wanted(decl, kind):
    if decl.name.startswith("_") and not decl.name.startswith("__"):
        return False
    if INTERNAL.match(decl.name):
        return False
    if kind in ("device", "coop", "pipeline", "vector"):
        return True
    if kind == "object" and decl.file.endswith("/device_launch_parameters.h"):
        return True
    return FAMILY.match(decl.name) is not None or kind in ("type", "wrapper", "enumerator")


def merge(table, name, kind, where, deprecated=""):
    entry = table.setdefault(name, {"kind": kind, "host": False, "device": False, "deprecated": ""})
    if KIND_RANK.index(kind) < KIND_RANK.index(entry["kind"]):
        entry["kind"] = kind
    if kind == entry["kind"] or kind not in ("macro", "word"):
        entry["host"] |= "host" in where
        entry["device"] |= "device" in where
    entry["deprecated"] = entry["deprecated"] or deprecated


def scan_declarations(args, table):
    include = os.path.realpath(args.include)
    with tempfile.TemporaryDirectory() as stub_dir:
        write_stubs(stub_dir)
        for unit, names in UNITS.items():
            present = [n for n in names if os.path.exists(os.path.join(include, n))]
            for arch in ARCHES if unit in ("runtime", "device", "coop") else ARCHES[:1]:
                text = preprocess(args.nvcc, include, present, arch, stub_dir)
                for decl in hdr.Reader(text).read():
                    kind = kind_of(decl)
                    if decl.kind != "using" and is_toolkit(decl.file, include) and wanted(decl, kind):
                        merge(table, decl.name, kind, decl.where,
                              args.toolkit if decl.deprecated and kind in ("runtime", "driver", "wrapper",
                                                                           "device") else "")


def header_files(include):
    for folder, _, files in os.walk(include):
        part = os.path.relpath(folder, include)
        if part.startswith("cccl") and not part.startswith(("cccl/cuda", "cccl/cub", "cccl/thrust")):
            continue
        for name in sorted(files):
            rel = os.path.normpath(os.path.join(part, name))
            if not NOT_READ.match(rel):
                yield rel


def scan_text(args, table):
    """Macros, words of our families that no declaration showed, and documented deprecations."""
    include = os.path.realpath(args.include)
    deprecations = {}
    for rel in header_files(include):
        with open(os.path.join(include, rel), encoding="utf-8", errors="replace") as f:
            raw = f.read()
        text = hdr.strip_comments(raw)
        cccl = rel.startswith("cccl")
        for name, target in hdr.aliases(text):
            if name not in table and table.get(target, {}).get("kind") in ("driver", "library"):
                merge(table, name, table[target]["kind"], "host")
        for name in hdr.macros(text):
            if not cccl and not name.startswith("_N") and not PREPROC.search(name) and \
                    not INTERNAL.match(name) and (FAMILY.match(name) or not name.startswith("_")):
                merge(table, name, "macro", "hostdevice")
        for name in set(re.findall(r"\b(?:cuda|cu[A-Z]|CUDA_|atomic|nv[a-z])\w*", text)):
            if not (cccl and name.startswith(("cuda_", "nv", "CUDA_"))):
                merge(table, name, "word", "")
        if rel in ("cuda.h", "cuda_runtime_api.h", "driver_types.h", "cuda_runtime.h"):
            deprecations.update(hdr.documented_deprecations(raw))
    for name, since in deprecations.items():
        if name in table:
            table[name]["deprecated"] = since or table[name]["deprecated"] or args.toolkit


def scan_base_macros(args, table):
    """Macros that every file has when nvcc compiles it, since cuda_runtime.h comes before its first line."""
    with tempfile.NamedTemporaryFile("w", suffix=".cu", delete=False) as unit:
        unit.write("\n")
    try:
        text = subprocess.run([args.nvcc, "-E", "-Xcompiler", "-dM", "-arch=" + ARCHES[0], unit.name],
                              capture_output=True, text=True, check=True).stdout
    finally:
        os.unlink(unit.name)
    for name in re.findall(r"^#define (\w+)", text, re.M):
        known = table.get(name, {}).get("kind")
        if known == "macro" or known in (None, "word") and not name.startswith("_"):
            merge(table, name, "base_macro", "hostdevice")


def abi_versions(args):
    """Version that introduced a name, from the ABI suffixes in the profiling and typedef headers."""
    include, found = os.path.realpath(args.include), {}
    sources = [("generated_cuda_runtime_api_meta.h", r"\b(cuda\w+?)_v(\d+)_params\b"),
               ("generated_cudart_removed_meta.h", r"\b(cuda\w+?)_v(\d+)_params\b"),
               ("cupti_runtime_cbid.h", r"_CBID_(cuda\w+?)_v(\d+)\b"),
               ("cudaTypedefs.h", r"\bPFN_(cu\w+?)_v(\d+)\b")]
    for name, pattern in sources:
        path = os.path.join(include, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            for api, version in re.findall(pattern, f.read()):
                api = re.sub(r"_(ptsz|ptds)$", "", api)
                number = int(version) // 10 * 10
                found[api] = min(found.get(api, number), number)
    return found


def read_history():
    rows = {}
    with open(os.path.join(HERE, "history.tsv"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            name, added, deprecated, removed = line.rstrip("\n").split("\t")
            rows[name] = (added, deprecated, removed)
    return rows


def row_of(name, entry, abi, history):
    """[name, where, added, deprecated] without empty fields at its end."""
    where = ("h" if entry["host"] else "") + ("d" if entry["device"] else "")
    old = history.get(name, ("", "", ""))
    added = version_text(abi.get(name, 0)) or old[0]
    # A name that these headers declare was not removed, whatever a table says: it is deprecated.
    deprecated = old[1] or old[2] or entry["deprecated"]
    row = [name, where, added, deprecated]
    while row[-1] == "":
        row.pop()
    return row


def toolkit_headers(include):
    """Headers that people include; those of CCCL as folders, since they are many."""
    names = [n for n in os.listdir(include) if n.endswith((".h", ".hpp")) and not NOT_READ.match(n)
             and not n.startswith(("cudnn", "nccl"))]
    return sorted(names) + ["cooperative_groups/", "crt/", "cub/", "cuda/", "nv/", "nvtx3/", "thrust/"]


def write_json(args, table):
    abi, history = abi_versions(args), read_history()
    groups = {kind: [] for kind in KIND_RANK}
    for name in sorted(table):
        groups[table[name]["kind"]].append(row_of(name, table[name], abi, history))
    head = {
        "schema": "cmpd.api.v1",
        "toolkit": args.toolkit,
        "generated_by": "rules/api/generate.py from the toolkit's headers",
        "fields": ["name", "where: h host, d device", "added", "deprecated"],
        "unknown_added": "taken as present in every version",
        "deprecated": "the version that deprecated it, or this toolkit's where only its header says so",
    }
    headers = ",\n".join(json.dumps(h) for h in toolkit_headers(os.path.realpath(args.include)))
    lines = [json.dumps(head)[:-1] + ', "headers": [\n%s\n], "groups": {' % headers]
    for kind in KIND_RANK:
        rows = ",\n".join(json.dumps(r, separators=(",", ":")) for r in groups[kind])
        lines.append('"%s": [\n%s\n]%s' % (kind, rows, "" if kind == KIND_RANK[-1] else ","))
    path = os.path.join(HERE, "cuda-%s.json" % args.toolkit)
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n}}\n")


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return json.load(f)


KIND_LETTER = {
    "runtime": "r", "wrapper": "w", "devrt": "R", "driver": "D", "vector": "v", "device": "d",
    "coop": "g", "pipeline": "p", "library": "l", "type": "t", "enumerator": "e", "object": "o",
    "base_macro": "b", "macro": "m", "word": "x", "removed": "k", "host": "h", "std_macro": "M", "std_device": "s",
}


def blank(kind, where):
    return {"kind": kind, "where": where, "added": 0, "deprecated": 0, "removed": 0, "arch": 0, "use": ""}


def add_block(rows, block):
    for name, fact in block["removed"].items():
        row = rows.setdefault(name, blank("removed", "-"))
        row["removed"] = version_number(fact["removed"])
        row["deprecated"] = version_number(fact.get("deprecated", "")) or row["deprecated"]
        row["added"] = version_number(fact.get("added", "")) or row["added"]
        row["arch"] = fact.get("arch", 0)
        row["use"] = fact.get("use", "")
    for name, fact in block["deprecated"].items():
        row = rows.setdefault(name, blank("removed", "-"))
        row["deprecated"] = version_number(fact["deprecated"])
        row["use"] = fact.get("use", "")


def table_rows(toolkit):
    rows = {}
    for kind, names in load("cuda-%s.json" % toolkit)["groups"].items():
        for name, *rest in names:
            where, added, deprecated = (rest + ["", "", ""])[:3]
            row = rows[name] = blank(kind, where or "-")
            row["added"], row["deprecated"] = version_number(added), version_number(deprecated)
    host = load("host.json")
    for kind, where, key in (("host", "h", "host_functions"), ("std_macro", "hd", "macros"),
                             ("std_device", "hd", "device_functions")):
        for name in host[key]:
            if name not in rows or rows[name]["kind"] in ("word", "macro"):
                rows[name] = blank(kind, where)
    for name in host["std_host_functions"]:
        rows["std::" + name] = blank("host", "h")
    add_block(rows, load("blocklist.json"))
    return rows


def render_table(toolkit):
    rows = table_rows(toolkit)
    lines = ["#%s %s" % (TABLE_SCHEMA, toolkit)]
    lines += ["#P\t" + p for p in load("host.json")["foreign_prefixes"]]
    lines += ["#H\t" + h for h in load("host.json")["standard_headers"]]
    lines += ["#H\t" + h for h in load("cuda-%s.json" % toolkit)["headers"]]
    for name, members in sorted(load("blocklist.json")["members"].items()):
        for member, fact in sorted(members.items()):
            lines.append("#M\t%s\t%s\t%d\t%s" % (name, member, version_number(fact["removed"]),
                                                 fact.get("use", "")))
    for name in sorted(rows, key=lambda n: n.encode()):
        r = rows[name]
        fields = [name, KIND_LETTER[r["kind"]] + r["where"], str(r["added"]), str(r["deprecated"]),
                  str(r["removed"]), str(r["arch"]), r["use"]]
        while len(fields) > 2 and fields[-1] in ("", "0"):
            fields.pop()
        lines.append("\t".join(fields))
    return "\n".join(lines) + "\n"


def list_version(toolkit, version):
    wanted_version = version_number(version)
    for name, r in sorted(table_rows(toolkit).items()):
        if r["added"] <= wanted_version and (not r["removed"] or wanted_version < r["removed"]):
            print(name)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--include", default="/usr/local/cuda/include")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--toolkit", default="13.0")
    parser.add_argument("--table", action="store_true", help="only rebuild api.tbl from the JSON files")
    parser.add_argument("--check", action="store_true", help="fail where api.tbl differs from the JSON files")
    parser.add_argument("--list", metavar="VERSION", help="print the names that VERSION has")
    return parser.parse_args()


def main():
    args = arguments()
    path = os.path.join(HERE, "api.tbl")
    if args.list:
        list_version(args.toolkit, args.list)
        return 0
    if not (args.table or args.check):
        table = {}
        scan_declarations(args, table)
        scan_text(args, table)
        scan_base_macros(args, table)
        write_json(args, table)
    text = render_table(args.toolkit)
    if args.check:
        with open(path, encoding="utf-8") as f:
            same = f.read() == text
        print("api.tbl agrees with the JSON files" if same else "api.tbl is stale: run generate.py --table")
        return 0 if same else 1
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
