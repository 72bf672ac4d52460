#!/usr/bin/env bash
# The tree builds with clang, warnings as errors, and each fuzz target runs for a while on its corpus.
# CMPD_FUZZ_SECONDS (default 5) is how long.
set -euo pipefail

command -v clang >/dev/null || { echo "clang is not there: skipped"; exit 77; }
# Kept between runs, unlike the folder that a test starts in.
build=$CMPD_BUILD_DIR/fuzz-build
cd "$CMPD_SOURCE_DIR"
cmake --preset fuzz -B "$build" "-DCMPD_FUZZ_SECONDS=${CMPD_FUZZ_SECONDS:-5}" >"$build.log" 2>&1 || {
    cat "$build.log"
    exit 1
}
cmake --build "$build" -j "$(nproc)" -- --quiet || exit 1
ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --no-tests=error
