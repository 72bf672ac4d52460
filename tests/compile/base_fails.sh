#!/usr/bin/env bash
# cmpd review: what base fails to compile in the same way is compile_environment, what the change adds is not.
set -euo pipefail
[ -x /usr/local/cuda/bin/nvcc ] || { echo "skipped: no nvcc at /usr/local/cuda/bin/nvcc"; exit 77; }
export HOME=$PWD TMPDIR=$PWD

kernel() { # NAME VALUE
    printf '#include "h.cuh"\n__global__ void %s(float *p, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n        p[i] = %s;\n}\n' "$1" "$2"
}

git init -q -b main repo
cd repo
git config user.email test@example.org
git config user.name test
printf '#pragma once\n__device__ inline float f(float x) { return x * broken_name; }\n' > h.cuh
kernel old 'f(p[i])' > old.cu
git add .
git commit -q -m base
git checkout -q -b topic
kernel old '2.0f * f(p[i])' > old.cu
kernel fresh 'other_name' | sed 1d > fresh.cu
git add .
git commit -q -m change
cd ..

status=0
"$CMPD_BIN" review --repo repo --base main --head topic --format json > out.json || status=$?
[ $status -eq 1 ] || { echo "status $status"; cat out.json; exit 1; }
python3 - <<'PY'
import json
files = {f["path"]: f for f in json.load(open("out.json"))["files"]}
old, fresh = files["old.cu"], files["fresh.cu"]
said = [f for f in old["findings"] if f["rule"] == "compile"]
assert old["verdict"] == "REVIEW" and [f["reason"] for f in said] == ["compile_environment"], old
assert said[0]["line"] == 1 and "base fails the same way" in said[0]["message"], old
assert fresh["verdict"] == "REJECT" and fresh["reasons"] == ["compile_error"], fresh
assert fresh["findings"][0]["line"] == 5, fresh
PY
[ -z "$(ls -d cmpd-* 2>/dev/null)" ] || { echo "a temporary folder stayed"; ls; exit 1; }
