#!/usr/bin/env bash
# Fetching of the grammars: cached archives need no npm; a missing or a changed archive is refused
# with a message that says what to do.
set -euo pipefail

configure() { # configure CACHE_HOME [OPTIONS...]
    local cache=$1
    shift
    rm -rf build
    XDG_CACHE_HOME="$cache" cmake -S "$CMPD_SOURCE_DIR" -B build -G Ninja -DCMPD_TESTS=OFF \
        -DCMPD_NPM=/bin/false "$@" >log 2>&1
}
fail() {
    echo "FAILED: $*"
    cat log
    exit 1
}

cached=${XDG_CACHE_HOME:-${HOME:-}/.cache}/cmpd/npm
[ -d "$cached" ] || cached="$CMPD_BUILD_DIR/cache/npm"
mkdir -p full/cmpd/npm changed/cmpd/npm empty
cp "$cached"/*.tgz full/cmpd/npm/
cp "$cached"/*.tgz changed/cmpd/npm/

configure "$PWD/full" || fail "the cache does not suffice"

configure "$PWD/empty" && fail "configured without the packages"
grep -q 'Could not fetch the npm package tree-sitter ' log || fail "no clear message"
[ -z "$(find empty -type f)" ] || fail "something half-fetched was left"

for archive in changed/cmpd/npm/tree-sitter-cuda-*.tgz; do
    printf 'x' >>"$archive"
done
configure "$PWD/changed" && fail "took an archive with another hash"
grep -q 'is not the tree-sitter-cuda' log || fail "no clear message on a wrong hash"
