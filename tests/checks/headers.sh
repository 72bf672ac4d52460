#!/usr/bin/env bash
# Every header compiles alone and twice, with no help from what was included before it.
set -euo pipefail
. "$CMPD_SOURCE_DIR/tests/checks/lib.sh"

# shellcheck disable=SC2207
flags=(-fsyntax-only -x c -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE= "-I$CMPD_SOURCE_DIR"
    $(pkg-config --cflags libgit2 jansson libpcre2-8))
core=$(find "$CMPD_BUILD_DIR/npm" -type d -path '*/lib/include' | head -1)
flags+=(-isystem "$core")

count=0
failed=0
while read -r header; do
    count=$((count + 1))
    if ! printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$header" "$header" |
        "$CMPD_CC" "${flags[@]}" -; then
        echo "FAILED: $header does not compile alone"
        failed=$((failed + 1))
    fi
done < <(list_headers)
echo "$count headers, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
