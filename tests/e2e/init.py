#!/usr/bin/python3
"""cmpd init: what it proposes is a policy that cmpd takes, and it never writes over one."""
import json
import os

import jsonschema

from e2e import SOURCE, check, cmpd, done, write

LAUNCHER = """
__global__ void tanh_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = tanhf(a[i]) + b[i];
}
void launch_tanh_add(const float *a, const float *b, float *c, int n, cudaStream_t s)
{
    tanh_add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
}
"""
ONLY_KERNEL = "__global__ void scale_kernel(double *x_inout, double f, int h, int w, float *tmp)\n{\n    x_inout[threadIdx.x] *= f;\n}\n"
STRUCT = "struct P;\n__global__ void k(float *a) { a[0] = 1; }\nvoid run_it(const P &p, float *a)\n{\n    k<<<1, 1>>>(a);\n}\n"


def main():
    with open(os.path.join(SOURCE, "config/schema/policy.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    os.makedirs("repo/kernels/deep")
    os.makedirs("repo/.hidden")
    os.makedirs("repo/build")
    write("repo/kernels/tanh_add.cu", LAUNCHER)
    write("repo/kernels/deep/scale.cu", "// cmpd: op=rescale\n" + ONLY_KERNEL)
    write("repo/kernels/plan.cu", STRUCT)
    write("repo/kernels/host.cu", "int main() { return 0; }\n")
    write("repo/kernels/binary.cu", b"\0\1\2")
    write("repo/.hidden/no.cu", LAUNCHER)
    write("repo/build/no.cu", LAUNCHER)
    os.symlink("/", "repo/root")
    r = cmpd("init", "repo")
    check(r.status == 0, f"init: {r.status} {r.err}")
    policy = r.json()
    jsonschema.validate(policy, schema)
    kernels = {k["path"]: k for k in policy["kernels"]}
    check(sorted(kernels) == ["kernels/deep/scale.cu", "kernels/plan.cu", "kernels/tanh_add.cu"], f"files: {sorted(kernels)}")
    add = kernels["kernels/tanh_add.cu"]
    check(add["entry"] == "launch_tanh_add" and add["op"] == "tanh_add" and add["dtype"] == "f32", f"launcher: {add}")
    check("args" not in add and "cases" not in add, f"guesses: {add}")
    scale = kernels["kernels/deep/scale.cu"]
    check(scale["entry"] == "scale_kernel" and scale["op"] == "rescale" and scale["dtype"] == "f64", f"kernel: {scale}")
    check("op" not in kernels["kernels/plan.cu"] and b"plan.cu" in r.err, f"an operator was guessed: {kernels['kernels/plan.cu']}")
    check(not os.path.exists("repo/cmpd.json"), "init wrote without --write")
    r = cmpd("init", "repo", "--write")
    check(r.status == 0 and not r.out, f"init --write: {r.status} {r.out}")
    with open("repo/cmpd.json", encoding="utf-8") as f:
        check(json.load(f) == policy, "--write wrote something else")
    r = cmpd("check", "--track", "static", "repo/kernels/tanh_add.cu")
    check(r.status in (0, 2) and not r.err, f"the proposal is not taken: {r.status} {r.err}")
    write("repo/cmpd.json", "{}")
    r = cmpd("init", "repo", "--write")
    check(r.status == 64 and b"does not overwrite" in r.err, f"init over a policy: {r.status} {r.err}")
    with open("repo/cmpd.json", encoding="utf-8") as f:
        check(f.read() == "{}", "init wrote over a policy")
    r = cmpd("init", "none")
    check(r.status == 66 and b"none" in r.err, f"init of nothing: {r.status} {r.err}")
    r = cmpd("init", "repo/cmpd.json")
    check(r.status == 65, f"init of a file: {r.status} {r.err}")
    os.mkdir("empty")
    r = cmpd("init", "empty")
    check(r.status == 0 and r.json()["kernels"] == [], f"init of an empty folder: {r.status} {r.out}")
    r = cmpd("init", cwd="repo/kernels")
    check(r.status == 0 and "tanh_add.cu" in [k["path"] for k in r.json()["kernels"]], "init without DIR")
    done()


main()
