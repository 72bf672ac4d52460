#!/usr/bin/env bash
# Each banned call fails to compile with the forced header, and its allowed neighbour compiles.
set -euo pipefail

compiles() {
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n%s\n' "$1" |
        "$CMPD_CC" -fsyntax-only -x c -std=c11 -D_GNU_SOURCE= \
            -include "$CMPD_SOURCE_DIR/analysis/base/banned.h" - 2>err
}

failed=0
while IFS='|' read -r name call; do
    if compiles "extern char a[9], *s; extern time_t t; void f(void); void f(void) { $call; }"; then
        echo "FAILED: $name compiles"
        failed=1
    elif ! grep -q "banned_${name}__" err; then
        echo "FAILED: $name does not say what to use"
        cat err
        failed=1
    fi
done <<'CALLS'
strcpy|strcpy(a, s)
strcat|strcat(a, s)
sprintf|sprintf(a, "%s", s)
vsprintf|__builtin_va_list ap; vsprintf(a, s, ap)
gets|gets(a)
strtok|s = strtok(a, s)
gmtime|gmtime(&t)
localtime|localtime(&t)
atoi|t = atoi(s)
atol|t = atol(s)
system|t = system(s)
popen|popen(s, "r")
CALLS

compiles 'extern char a[9]; extern const char *s; int f(void);
int f(void) { struct { int system; } x = { 1 }; memcpy(a, s, 9); return x.system + snprintf(a, 9, "%s", s); }' || {
    echo "FAILED: allowed calls do not compile"
    cat err
    failed=1
}
exit "$failed"
