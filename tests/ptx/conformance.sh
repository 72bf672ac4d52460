#!/usr/bin/env bash
# Each instruction of the emulated device against the exact model of model.py.
set -euo pipefail

python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" "$CMPD_SOURCE_DIR/tests/ptx/generate.py" cases.bin
"$CMPD_BUILD_DIR/testbin/ptx_conformance" cases.bin
rm cases.bin
