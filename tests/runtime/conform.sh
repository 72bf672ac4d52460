#!/bin/bash
# Our runtime answers each call of conform_NAME as NVIDIA's does on a GPU: expect/NAME.txt was written there.
set -eu
name=$1
here=$CMPD_SOURCE_DIR/tests/runtime
nvcc=/usr/local/cuda/bin/nvcc

if [ -f "$here/conform_$name.c" ]; then
  "$CMPD_CC" -std=gnu11 -w -fPIC -I"$CMPD_SOURCE_DIR" -c "$here/conform_$name.c" -o candidate.o
else
  if [ ! -x $nvcc ]; then
    echo "no $nvcc: skipped"
    exit 77
  fi
  $nvcc -std=c++17 -arch=sm_80 -w -Xcompiler -fPIC -c "$here/conform_$name.cu" -o candidate.o
fi
"$CMPD_BUILD_DIR/testbin/run_candidate" candidate.o >all.txt
grep -q '^end finished$' all.txt || { cat all.txt; exit 1; }
sed -n '/^--- stdout$/,/^--- stderr$/p' all.txt | grep -v -e '^---' >got.txt
diff -u "$here/expect/$name.txt" got.txt
