#!/usr/bin/env bash
# Every source in our folders is built, no file is over 800 lines, and none says it is unfinished.
set -euo pipefail
. "$CMPD_SOURCE_DIR/tests/checks/lib.sh"

MOST_LINES=800
failed=0
complain() {
    echo "FAILED: $*"
    failed=1
}

while read -r source; do
    grep -qF "\"$CMPD_SOURCE_DIR/$source\"" "$CMPD_BUILD_DIR/compile_commands.json" ||
        complain "$source is in no CMakeLists.txt"
done < <(list_sources)

while read -r file; do
    lines=$(wc -l <"$CMPD_SOURCE_DIR/$file")
    [ "$lines" -le "$MOST_LINES" ] || complain "$file has $lines lines; $MOST_LINES is the most"
    if grep -nE '\b(TODO|FIXME|XXX)\b' "$CMPD_SOURCE_DIR/$file"; then
        complain "$file is marked unfinished"
    fi
done < <(list_headers; list_sources; list_test_code)
exit "$failed"
