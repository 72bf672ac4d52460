#!/usr/bin/env bash
# All C sources are as clang-format leaves them, and nothing has trailing blanks or tabs.
# `format.sh --fix` formats in place.
set -euo pipefail
CMPD_SOURCE_DIR=${CMPD_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$CMPD_SOURCE_DIR/tests/checks/lib.sh"

command -v clang-format >/dev/null || { echo "clang-format is not there: skipped"; exit 77; }
cd "$CMPD_SOURCE_DIR"
mapfile -t files < <(list_headers; list_sources; list_test_code)
echo "${#files[@]} files"
if [ "${1:-}" = --fix ]; then
    exec clang-format -i --style=file "${files[@]}"
fi
clang-format --dry-run --Werror --style=file "${files[@]}"
