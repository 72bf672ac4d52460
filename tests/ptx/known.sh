#!/usr/bin/env bash
# PTX that nvcc makes of cuda/*.cu is read without anything unknown in it.
set -euo pipefail

nvcc=${CMPD_NVCC:-/usr/local/cuda/bin/nvcc}
[ -x "$nvcc" ] || { echo "$nvcc is not there: skipped"; exit 77; }
here=$CMPD_SOURCE_DIR/tests/ptx
for source in "$here"/cuda/*.cu; do
    # What a source says about how to compile it, else the default.
    flags=$(sed -n 's/.*compile: *//p' "$source" | head -1)
    # shellcheck disable=SC2086 # several flags
    "$nvcc" -w -std=c++17 ${flags:--arch=sm_80 -lineinfo} -ptx "$source" -o "$(basename "$source" .cu).ptx"
done
files=(./*.ptx)
"$CMPD_BUILD_DIR/testbin/ptx_known" "${files[@]}"
echo "${#files[@]} sources read"
