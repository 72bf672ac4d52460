#!/usr/bin/env bash
# The bash completion offers commands, options, values, tags and CUDA files; the man page is clean.
set -euo pipefail
docs=$CMPD_BUILD_DIR/docs

fail() {
    echo "FAILED: $*"
    exit 1
}
complete() { # complete WORD...: what would be offered for the last one
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _cmpd
    echo "${COMPREPLY[*]}"
}
offers() { # offers WORD -- WORDS...
    local wanted=$1
    shift 2
    case " $(complete "$@") " in
    *" $wanted "*) ;;
    *) fail "'$*' does not offer $wanted, but: $(complete "$@")" ;;
    esac
}
compopt() { :; } # works only while bash itself asks

eval "$(sed '/^complete /d' "$docs/cmpd.bash")"
mkdir sub
touch a.cu b.cuh c.cpp
offers check -- cmpd ch
offers --fail-on -- cmpd check --fa
offers --base -- cmpd review --
offers sarif -- cmpd check --format sa
offers missing_sync -- cmpd explain missing_s
offers a.cu -- cmpd check ''
offers b.cuh -- cmpd check ''
offers sub -- cmpd check ''
case " $(complete cmpd check '') " in *" c.cpp "*) fail "offers c.cpp to check" ;; esac
case " $(complete cmpd check --) " in *" --base "*) fail "offers --base to check" ;; esac

for option in base head repo track device op entry baseline executor policy format output fail-on filter; do
    grep -q "^\.BI .*${option//-/\\\\-}" "$docs/cmpd.1" || fail "the man page lacks --$option"
done
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww "$docs/cmpd.1" 2>warnings >page
    [ ! -s warnings ] || { cat warnings; fail "groff complains about the man page"; }
fi
