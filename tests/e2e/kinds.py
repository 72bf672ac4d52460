#!/usr/bin/python3
"""What each kind of file gets: one of each, run for real on the emulated device."""
import os
import sys

from e2e import check, cmpd, done, write

NVCC = "/usr/local/cuda/bin/nvcc"
QUIET = '"tiers": {"no_vectorized_access": "note"}'
RELU = """__global__ void relu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}
"""
WRONG = RELU.replace("x[i] > 0 ? x[i] : 0", "x[i]")
LAUNCH = "relu_kernel<<<(n + 255) / 256, 256>>>"
HOST = RELU + """#include <stdlib.h>
void relu(const float *in, float *out, int n)
{
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    cudaMemcpy(x, in, n * 4, cudaMemcpyHostToDevice);
    """ + LAUNCH + """(x, y, n);
    cudaMemcpy(out, y, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
"""
MANAGED = RELU + """void relu(const float *in, float *out, int n)
{
    float *x, *y;
    cudaMallocManaged(&x, n * 4);
    cudaMallocHost(&y, n * 4);
    for (int i = 0; i < n; i++)
        x[i] = in[i];
    """ + LAUNCH + """(x, y, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        out[i] = y[i];
    cudaFree(x);
    cudaFreeHost(y);
}
"""
MIDWAY = RELU + """__global__ void any_negative(const float *x, int *flag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0)
        *flag = 1;
}
void relu(const float *x, float *y, int n)
{
    int *flag, found;
    cudaMalloc(&flag, 4);
    cudaMemset(flag, 0, 4);
    any_negative<<<(n + 255) / 256, 256>>>(x, flag, n);
    cudaMemcpy(&found, flag, 4, cudaMemcpyDeviceToHost);
    cudaFree(flag);
    if (found)
        """ + LAUNCH + """(x, y, n);
    else
        cudaMemcpy(y, x, n * 4, cudaMemcpyDeviceToDevice);
}
"""
PROGRAM = RELU + """#include <cstdio>
int main()
{
    int n = 1000;
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    cudaMemset(x, 0, n * 4);
    """ + LAUNCH + """(x, y, n);
    cudaDeviceSynchronize();
    printf("PASS\\n");
    cudaFree(x);
    cudaFree(y);
}
"""
TEMPLATE = RELU.replace("__global__", "template <typename T> __global__").replace("float", "T")


def launcher(head="", kernel=RELU, name="relu", more=""):
    return kernel + f"{head}void {name}(const float *x, float *y, int n) {{ {LAUNCH}(x, y, n); }}\n" + more


# what, source, options, verdict, reasons (of which one has to be there; none: no reason at all)
KINDS = [
    ("device pointers", launcher('extern "C" '), [], "PASS", []),
    ("C++ name", launcher(), [], "PASS", []),
    ("static, called by nobody", launcher("static "), [], "PASS", []),
    ("inline", launcher("inline "), [], "PASS", []),
    ("in a namespace", "namespace a { namespace {\n" + launcher() + "} }\n", [], "PASS", []),
    ("template without instance", launcher("template <typename T> ").replace("const float *x, float *y, int n) { relu",
                                                                             "const T *x, T *y, int n) { relu"), [], "PASS", []),
    ("wrong numbers", launcher(kernel=WRONG), [], "REJECT", ["numeric_mismatch"]),
    ("host pointers", HOST, [], "PASS", []),
    ("managed and pinned memory", MANAGED, [], "PASS", []),
    ("reads back midway", MIDWAY, [], "PASS", []),
    ("kernel only", RELU, [], "PASS", []),
    ("kernel only, wrong numbers", WRONG, [], "REJECT", ["numeric_mismatch"]),
    ("kernel template, instance by --entry", TEMPLATE, ["--entry", "relu_kernel<double>"], "PASS", []),
    ("program", PROGRAM, None, "REVIEW", ["no_reference"]),
    ("faulty program", PROGRAM.replace("i < n", "i <= n"), None, "REJECT", ["out_of_bounds", "missing_bounds_guard", "type_width_mismatch"]),
    ("program, its kernel by --entry", PROGRAM, ["--entry", "relu_kernel"], "PASS", []),
    ("entry that is not there", launcher(), ["--entry", "launch_relu"], "REJECT", ["entry_not_found"]),
    ("torch extension", "#include <torch/extension.h>\n" + RELU, [], "REVIEW", ["compile_environment"]),
    ("vectors", RELU + "#include <vector>\nvoid relu(const std::vector<float> &x, std::vector<float> &y) "
                       "{ relu_kernel<<<1, 1>>>(x.data(), y.data(), 1); }\n", [], "REVIEW", ["no_entry"]),
    ("structs", RELU + "struct T { float *p; int n; };\nvoid relu(T x, T y) { relu_kernel<<<1, 1>>>(x.p, y.p, x.n); }\n",
     [], "REVIEW", ["no_entry"]),
    ("a function of another unit", "void helper(float *);\n" + launcher().replace("{ relu_kernel", "{ helper(y); relu_kernel"),
     [], "REVIEW", ["compile_environment"]),
    ("two that may be it", launcher(name="relu_a") + launcher(kernel="", name="relu_b"), [], "REVIEW", ["no_entry"]),
    ("which operator", launcher(name="f").replace("relu", "thing"), None, "REVIEW", ["no_reference"]),
]


def main():
    if not os.path.exists(NVCC):
        print("nvcc is not there: nothing can be run")
        sys.exit(77)
    write("cmpd.json", "{\"policy\": {%s}}" % QUIET)
    for n, (what, source, options, verdict, reasons) in enumerate(KINDS):
        path = write(f"k{n}.cu", source)
        r = cmpd("check", "--format", "json", *(["--op", "relu"] + options if options is not None else []), path, timeout=900)
        doc = r.json()
        if doc["reasons"] == ["runner_unavailable"]:
            print("nothing can be run here:", doc["files"][0]["dynamic"])
            sys.exit(77)
        right = doc["verdict"] == verdict and (any(t in doc["reasons"] for t in reasons) if reasons else not doc["reasons"])
        said = [f["message"] for f in doc["files"][0]["findings"] if f["tier"] != "note"]
        check(right, f"{what}: {doc['verdict']} {doc['reasons']} {said}")
    done()


main()
