#!/usr/bin/env bash
# Real device code on the emulated device, by way of the server.
set -euo pipefail
nvcc=/usr/local/cuda/bin/nvcc
if [ ! -x "$nvcc" ]; then
    echo "skipped: $nvcc is not there"
    exit 77
fi
"$nvcc" -arch=sm_80 -lineinfo -c "$CMPD_SOURCE_DIR/tests/server/emulated.cu" -o emulated.o
"$CMPD_BUILD_DIR/testbin/server_emulated" emulated.o
