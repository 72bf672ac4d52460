#!/usr/bin/env bash
# Where user namespaces are forbidden nothing foreign is compiled, and the answer and the doctor say what to do.
# With "jail": "none" it is, and the answer says that.
set -euo pipefail
for tool in unshare setpriv; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$CMPD_RUNNER_BIN" "$place/cmpd-runner"
chmod -R a+rX "$place"
mkdir "$place/toolkit" "$place/toolkit/bin" "$place/repo"
# A stand-in that says what nvcc says, and leaves what nvcc leaves.
cat >"$place/toolkit/bin/nvcc" <<'NVCC'
#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = -o ] && echo object >"$2"; shift; done
NVCC
echo '__global__ void k(float *p) { p[0] = 0.0f; }' >"$place/repo/k.cu"
chmod -R a+rX "$place"
chmod 755 "$place/toolkit/bin/nvcc"

job() {
    printf '{"schema":"cmpd.job.v1","nonce":"n","root":"%s","file":"k.cu","nvcc":[{"path":"%s"}],' \
        "$place/repo" "$place/toolkit/bin/nvcc"
    printf '"stages":["compile"],"cache":false,"lifeline":false,"jail":"%s"}\n' "$1"
}
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=61000 --regid=61000 --clear-groups)
# In a user namespace of its own it may forbid further ones.
without() {
    "${as_user[@]}" env -i PATH=/usr/bin:/bin ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" \
        unshare --user --map-root-user /bin/sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh "$@"
}
without true 2>/dev/null || { echo "skipped: user namespaces can't be forbidden here"; exit 77; }

fail() { echo "FAILED: $1"; exit 1; }
job auto | without "$place/cmpd-runner" >"$place/auto"
grep -q '"jail":"unavailable"' "$place/auto" || fail "the start event: $(cat "$place/auto")"
grep -q '"tag":"runner_unavailable"' "$place/auto" || fail "no finding"
grep -q 'max_user_namespaces' "$place/auto" || fail "no way out in the message"
grep -q '"event":"compile"' "$place/auto" && fail "compiled without a jail"
job none | without "$place/cmpd-runner" >"$place/none"
grep -q '"jail":"none"' "$place/none" || fail "the start event: $(cat "$place/none")"
grep -q '"ok":true' "$place/none" || fail "not compiled: $(cat "$place/none")"
without "$place/cmpd-runner" --doctor >"$place/doctor" || true
grep -q '^! jail: none' "$place/doctor" || fail "doctor: $(cat "$place/doctor")"
echo ok
