#!/bin/bash
# Records what nvcc says about some fixtures, for the parser's tests: recorded/NAME.txt.
#   tests/compile/recorded/record.sh            (needs /usr/local/cuda/bin/nvcc)
set -euo pipefail
export LC_ALL=C # as the runner does
here=$(cd "$(dirname "$0")" && pwd)
nvcc=/usr/local/cuda/bin/nvcc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

record() {
  local source=$1 name
  shift
  name=$(basename "$source" .cu)
  mkdir -p "$work/k"
  (cd "$here/.." && TMPDIR=$work $nvcc -c -std=c++17 -arch=sm_80 -O2 -lineinfo -w --keep --keep-dir "$work/k" \
    -o "$work/o.o" "$@" "./$source" 2>&1 || true) | sed "s#$work/k#/work-folder#g" > "$here/$name.txt"
}

for f in bad/undeclared_many_uses bad/two_causes bad/missing_semicolon_declaration bad/missing_brace \
  bad/extra_brace bad/argument_type bad/launch_arguments bad/shared_too_big bad/std_function_in_device \
  bad/template_arguments bad/template_body bad/error_in_header bad/error_in_instantiation bad/asm_unknown \
  bad/half_without_header bad/goto_python env/torch_header env/extern_function env/dynamic_parallelism \
  env/device_lambda env/relaxed_constexpr env/wgmma_sm80 env/atomic_float2_sm80 env/concepts_cpp20 \
  env/error_directive; do
  record "$f.cu"
done

# What nvcc itself refuses.
$nvcc -c -arch=sm_12 -o "$work/o.o" "$here/../good/extern_variable.cu" > "$here/driver_arch.txt" 2>&1 || true
# The host compiler's own errors, reached when the front end has none.
cat > "$work/host.cu" <<'CU'
extern void never(void) __attribute__((error("not to be called")));
void run()
{
    never();
}
CU
(cd "$work" && $nvcc -c -w -o o.o host.cu 2>&1 || true) > "$here/host_compiler.txt"
# An inclusion chain, seen by the preprocessor.
printf '#include "inner.h"\n' > "$work/outer.h"
printf '\n#include "absent.h"\n' > "$work/inner.h"
printf '#include <cstdio>\n#include "outer.h"\n' > "$work/chain.cu"
(cd "$work" && $nvcc -c -w -o o.o chain.cu 2>&1 || true) > "$here/chain.txt"
