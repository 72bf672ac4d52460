#!/usr/bin/env bash
# clang-tidy with .clang-tidy over every source of ours that the build compiles.
# `lint.sh FILE...` checks only those (paths relative to the repository).
set -euo pipefail
. "$CMPD_SOURCE_DIR/tests/checks/lib.sh"

command -v clang-tidy >/dev/null || { echo "clang-tidy is not there: skipped"; exit 77; }
if [ ! -f "$CMPD_BUILD_DIR/compile_commands.json" ]; then
    echo "no compile_commands.json in $CMPD_BUILD_DIR: configure with a preset"
    exit 1
fi

# The compiler's own options that clang does not know, and the sanitizers, are of no use here.
mkdir -p db
sed -E 's/ -fsanitize=[^ "]*//g; s/ -fno-sanitize-recover=[^ "]*//g; s/ -Wno-format-truncation//g' \
    "$CMPD_BUILD_DIR/compile_commands.json" >db/compile_commands.json

cd "$CMPD_SOURCE_DIR"
if [ $# -gt 0 ]; then
    files=("$@")
else
    mapfile -t files < <(list_sources; list_test_code | grep '\.c$')
fi
# A test source that this build leaves out has no command to be checked with.
known=()
for file in "${files[@]}"; do
    if grep -qF "\"$CMPD_SOURCE_DIR/$file\"" "$OLDPWD/db/compile_commands.json"; then
        known+=("$file")
    fi
done
echo "${#known[@]} of ${#files[@]} files"
[ "${#known[@]}" -gt 0 ]
# The analyser's default depth (225,000 nodes a function) takes seven times as long and found no more.
depth=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=20000)
printf '%s\0' "${known[@]}" |
    xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet "${depth[@]}" -p "$OLDPWD/db" 2>/dev/null
