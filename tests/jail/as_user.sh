#!/usr/bin/env bash
# The tests of the jail once more as a user without rights: they were built, and so far run, by root.
set -euo pipefail
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: not root, so the other tests ran as a user already"
    exit 77
fi
if ! command -v setpriv >/dev/null 2>&1; then
    echo "skipped: no setpriv"
    exit 77
fi
if [ ! -x "$CMPD_BUILD_DIR/testbin/jail_run" ]; then
    echo "skipped: the tests were not built (no cmocka)"
    exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
cp "$CMPD_BUILD_DIR"/testbin/jail_{hostile,run,compile} "$CMPD_BUILD_DIR"/testbin/libjail_early.so "$place"
# nobody's numbers are taken on many machines; these are nobody's
for test in jail_run jail_compile; do
    setpriv --reuid=61000 --regid=61000 --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent \
        CMPD_HOSTILE_PROGRAM="$place/jail_hostile" CMPD_EARLY_LIBRARY="$place/libjail_early.so" \
        "$place/$test"
done
