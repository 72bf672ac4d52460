#!/usr/bin/env bash
# PTX that nvcc makes of cuda/*.cu is read without anything unknown in it.
set -euo pipefail

export nvcc=${CMPD_NVCC:-/usr/local/cuda/bin/nvcc}
[ -x "$nvcc" ] || { echo "$nvcc is not there: skipped"; exit 77; }

compile() { # compile SOURCE: with what it says about how to compile it, else the default
    local flags
    flags=$(sed -n 's/.*compile: *//p' "$1" | head -1)
    # shellcheck disable=SC2086 # several flags
    "$nvcc" -w -std=c++17 ${flags:--arch=sm_80 -lineinfo} -ptx "$1" -o "$(basename "$1" .cu).ptx"
}
export -f compile
# shellcheck disable=SC2016 # bash expands it
printf '%s\0' "$CMPD_SOURCE_DIR"/tests/ptx/cuda/*.cu |
    xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'compile "$0"'
files=(./*.ptx)
"$CMPD_BUILD_DIR/testbin/ptx_known" "${files[@]}"
echo "${#files[@]} sources read"
