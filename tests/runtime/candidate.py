#!/usr/bin/env python3
"""What the candidate program, the link and the runtime's fault handler make of host code, good and bad."""

import os
import re
import shutil
import subprocess
import sys

SOURCE = os.environ["CMPD_SOURCE_DIR"]
BUILD = os.environ["CMPD_BUILD_DIR"]
CC = os.environ.get("CMPD_CC", "cc")
CXX = shutil.which("g++")

PRELUDE = '#include "gpu-runner/cudart/api_calls.h"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n'

# name, language, source, arguments of run_candidate, lines that must be there, lines that must not
CASES = [
    ("numbers", "c",
     "long call(int a, long b, float c, double d, float *p, void *s, int e, int f, int g, double h)"
     "{ p[0] = c; p[1] = (float)d; p[2] = (float)h; return a + b + e + f + g + (s != 0); }",
     "--call call i32:-1 i64:2000 f32:1.5 f64:2.25 host:8 stream i32:1 i32:2 i32:3 f64:-4.5 -- --result i64",
     ["result 2005", "host 4 1.5 2.25 -4.5 3", "end finished"], ["seen"]),
    ("small result", "c", "signed char call(int a) { return (signed char)a; }",
     "--call call i32:200 -- --result i8", ["result -56", "end finished"], []),
    ("a float comes back as its bits", "c", "float call(void) { return 1.0f; }",
     "--call call -- --result f32", ["result 1065353216", "end finished"], []),
    ("nothing comes back", "c", "void call(float *p) { p[0] += 1; }",
     "--call call host:4 -- --twice", ["result 0", "host 0 1 1 2 3", "end finished"], []),
    ("a static function", "c",
     "static int hidden(int a) { return a * 2; } int shown(int a) { return hidden(a); }",
     "--call hidden i32:21 -- --result i32", ["result 42"], []),
    ("a whole program", "c", 'int main(void) { printf("hello\\n"); return 3; }', "",
     ["result 3", "end finished", "hello"], []),
    ("a program that exits", "c", "static void deep(void) { exit(4); } int main(void) { deep(); return 0; }",
     "", ["result 4", "end finished"], []),
    ("no main", "c", "int other(void) { return 1; }", "", ["end faulted"], []),
    # ends
    ("a null pointer", "c", "void call(int *p) { *p = 1; }", "--call call null --",
     ["end faulted", "fault signal 11 in candidate.so:call", "seen crashed .*null pointer"], []),
    ("in a static function", "c",
     "__attribute__((noinline)) static void inner(int *p) { *p = 1; } void call(int *p) { inner(p); }",
     "--call call null --", ["fault signal 11 in candidate.so:inner"], []),
    ("inside the C library", "c",
     "void call(char *p) { memset(p, 1, 100000); }", "--call call null --",
     ["fault signal 11 in candidate.so:call"], []),
    ("a device pointer", "c",
     "void call(void) { int *d; cudaMalloc((void **)&d, 64); d[3] = 1; }", "--call call --",
     ["end faulted", "seen host_dereference .*offset 12"], ["seen crashed"]),
    ("past a host buffer", "c", "void call(float *p, int n) { p[n] = 1; }",
     "--call call host:1024 i32:1024 --", ["end faulted", "seen out_of_bounds .*offset 4096"], []),
    ("before a host buffer", "c", "void call(float *p) { p[-1024] = 1; }",
     "--call call host:1024 --", ["end faulted", "seen out_of_bounds"], []),
    ("a copy past a host buffer", "c",
     "void call(float *p) { void *d; cudaMalloc(&d, 8192); cudaMemcpy(d, p, 8192, cudaMemcpyHostToDevice); }",
     "--call call host:1024 --", ["end faulted", "fault signal 11 in libcudart:cudaMemcpy"], []),
    ("a copy from nowhere", "c",
     "void call(void) { void *d; cudaMalloc(&d, 64); cudaMemcpy(d, (void *)64, 64, cudaMemcpyHostToDevice); }",
     "--call call --", ["end faulted", "fault signal 11 in libcudart:cudaMemcpy"], []),
    ("rows past a host buffer", "c",
     "void call(float *p) { void *d; cudaMalloc(&d, 1 << 20);"
     " cudaMemcpy2D(p, 128, d, 256, 64, 100, cudaMemcpyDeviceToHost); }",
     "--call call host:1024 --", ["end faulted", "fault signal 11 in libcudart:cudaMemcpy2D"], []),
    ("the stack", "c",
     "int down(int n, int *p) { int q[1000]; q[0] = *p + n; return down(n + 1, q) + q[0]; }"
     "int call(void) { int z = 0; return down(0, &z); }",
     "--call call --", ["end faulted", "fault signal 11 in candidate.so:down"], []),
    ("abort", "c", "void call(void) { abort(); }", "--call call --",
     ["end faulted", "fault signal 6 in candidate.so:call"], []),
    ("division", "c", "int call(int a, int b) { return a / b; }", "--call call i32:1 i32:0 --",
     ["end faulted", "fault signal 8"], []),
    ("exit", "c", "void call(void) { exit(0); }", "--call call --", ["end gone early"], ["end finished"]),
    ("_exit", "c", "#include <unistd.h>\nvoid call(void) { _exit(0); }", "--call call --",
     ["end gone early"], ["end finished"]),
    ("exit before anything", "c",
     "__attribute__((constructor)) static void early(void) { exit(0); } void call(void) {}",
     "--call call --", ["end gone early"], ["end finished", "result"]),
    ("an exception", "cxx",
     "#include <stdexcept>\nextern \"C\" void call() { throw std::runtime_error(\"no\"); }",
     "--call call --", ["end faulted", "an exception of type std::runtime_error"], []),
    ("an exception that is caught", "cxx",
     "#include <stdexcept>\nextern \"C\" int call() { try { throw 5; } catch (int i) { return i; } }",
     "--call call -- --result i32", ["result 5", "end finished"], []),
    ("C++ libraries and destructors", "cxx",
     "#include <iostream>\n#include <vector>\nstruct D { ~D() { std::cout << \"gone\" << std::endl; } } d;"
     "extern \"C\" int call(int n) { std::vector<int> v(n, 2); return (int)v.size() + v[1]; }",
     "--call call i32:5 -- --result i32", ["result 7", "gone", "end finished"], []),
    ("in a namespace", "cxx", "namespace ns { int call(int a) { return a + 1; } }",
     "--call _ZN2ns4callEi i32:4 -- --result i32", ["result 5"], []),
    ("an instance of a template", "cxx",
     "template <typename T> T twice(T a) { return a + a; } template int twice<int>(int);",
     "--call _Z5twiceIiET_S0_ i32:4 -- --result i32", ["result 8"], []),
    ("threads that are left", "c",
     "#include <pthread.h>\n#include <unistd.h>\nstatic void *wait(void *p) { sleep(1); return p; }"
     "static void *quick(void *p) { return p; }"
     "void call(void) { pthread_t t; pthread_create(&t, 0, quick, 0); pthread_join(t, 0);"
     " pthread_create(&t, 0, wait, 0); }",
     "--call call --", ["threads 1", "end finished"], []),
    ("an error that nobody read", "c", "void call(void) { cudaMalloc(0, 4); }", "--call call --",
     ["failed cudaMalloc cudaErrorInvalidValue", "last error cudaErrorInvalidValue"], []),
    ("an error that was read", "c", "void call(void) { cudaMalloc(0, 4); cudaGetLastError(); }",
     "--call call --", ["failed cudaMalloc cudaErrorInvalidValue"], ["last error"]),
    ("a function that isn't built", "c",
     "int cudaMallocArray(void *, void *, size_t, size_t, unsigned);"
     "int call(void) { void *a; return cudaMallocArray(&a, 0, 4, 4, 0); }",
     "--call call -- --result i32", ["result 801", "seen not_emulated .*cudaMallocArray"], []),
    # what nobody has
    ("another file's function", "c", "int helper(int); int call(int a) { return helper(a); }",
     "--call call i32:1 --", ["not linked compile_environment .*helper", "missing helper"], ["end"]),
    ("another file's function in C++", "cxx",
     "namespace ns { int helper(int); } extern \"C\" int call(int a) { return ns::helper(a); }",
     "--call call i32:1 --", ["not linked compile_environment .*ns::helper", "missing ns::helper"], []),
    ("a library", "c",
     "int cublasCreate_v2(void *); int helper(void); int call(void *p) { return cublasCreate_v2(p) + helper(); }",
     "--call call null --", ["not linked library_call .*cuBLAS.*cublasCreate_v2", "missing helper"], []),
    ("the driver API", "c", "int cuInit(unsigned); int call(void) { return cuInit(0); }",
     "--call call --", ["not linked not_emulated .*driver API.*cuInit"], []),
]


def build(name, language, source):
    path = name.replace(" ", "_").replace("'", "") + (".cpp" if language == "cxx" else ".c")
    with open(path, "w", encoding="utf-8") as f:
        f.write((PRELUDE if language == "c" else "") + source + "\n")
    compiler = [CXX, "-std=c++17"] if language == "cxx" else [CC, "-std=gnu11"]
    subprocess.run([*compiler, "-O1", "-w", "-fPIC", "-fkeep-static-functions"
                    if "clang" not in compiler[0] else "-w", "-I" + SOURCE, "-c", path, "-o", path + ".o"],
                   check=True)
    return path + ".o"


def run(case):
    name, language, source, args, must, must_not = case
    obj = build(name, language, source)
    r = subprocess.run([os.path.join(BUILD, "testbin/run_candidate"), *args.split(), obj],
                       text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    bad = ["no line '%s'" % m for m in must if not re.search("^" + m, r.stdout, re.M) and
           not re.search(m, r.stdout)]
    bad += ["a line '%s'" % m for m in must_not if re.search("^" + m, r.stdout, re.M)]
    if bad:
        print("FAILED %s: %s\n%s" % (name, "; ".join(bad), r.stdout))
    return not bad


def main():
    if not CXX:
        print("no g++: cases in C++ are left out")
    cases = [c for c in CASES if c[1] == "c" or CXX]
    if len(sys.argv) > 1:
        cases = [c for c in cases if c[0] in sys.argv[1:]]
    good = sum([run(c) for c in cases])
    print("%d of %d as expected" % (good, len(cases)))
    return good != len(cases)


if __name__ == "__main__":
    sys.exit(main())
