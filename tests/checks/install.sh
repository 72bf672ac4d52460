#!/usr/bin/env bash
# An installation runs from its own folder, moved away from where it was made, with all its data.
set -euo pipefail

fail() {
    echo "FAILED: $*"
    exit 1
}

cmake --install "$CMPD_BUILD_DIR" --prefix "$PWD/made" >log || { cat log; fail "cmake --install"; }
mv made moved
unset CMPD_DATADIR
moved/bin/cmpd --version
moved/bin/cmpd-runner --version
[ -f moved/share/man/man1/cmpd.1 ] || fail "no man page"
for completion in bash-completion/completions/cmpd zsh/site-functions/_cmpd fish/vendor_completions.d/cmpd.fish; do
    [ -f "moved/share/$completion" ] || fail "no $completion"
done
for folder in rules/api rules/docs config; do
    for file in "$CMPD_SOURCE_DIR/$folder"/*.json "$CMPD_SOURCE_DIR/$folder"/*.md; do
        [ -e "$file" ] || continue
        cmp "$file" "moved/share/cmpd/$folder/${file##*/}"
    done
done
[ -z "$(find moved -type l)" ] || fail "the installation holds links"
moved/bin/cmpd explain missing_bounds_guard >page.out || fail "cmpd explain finds no data"
grep -q missing_bounds_guard page.out || fail "cmpd explain shows another page"
moved/bin/cmpd rules >rules.out || fail "cmpd rules"
