#!/usr/bin/env bash
# in-fresh-folder.sh FOLDER COMMAND...: runs the command in FOLDER, emptied before.
set -eu
folder=$1
shift
case $folder in
*/test-work/*) rm -rf -- "$folder" ;;
*) echo "refusing to empty $folder" >&2; exit 70 ;;
esac
mkdir -p -- "$folder"
cd -- "$folder"
exec "$@"
