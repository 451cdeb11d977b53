#!/bin/sh
# Makes the Python environment with the MCP client that the whole-system tests talk through. What is there in the
# right version is left alone.
#
#   install.sh            make it
#   install.sh --check    make nothing; fail if it is missing or of another version
#
# It is the folder mcp-python in $REMORA_TEST_HOSTS, else in remora-test-hosts in the user's cache folder.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${REMORA_TEST_HOSTS:-${XDG_CACHE_HOME:-$HOME/.cache}/remora-test-hosts}/mcp-python

if cmp -s "$here/requirements.txt" "$folder/requirements.txt"; then
    echo "mcp-python: is there"
    exit 0
fi
if [ "${1:-}" = --check ]; then
    echo "mcp-python: missing or of another version"
    exit 1
fi
# An environment cannot be moved once it is made: what says that it is whole is written last.
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
cp "$here/requirements.txt" "$folder/requirements.txt"
echo "mcp-python: installed"
