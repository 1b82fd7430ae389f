#!/bin/bash
# run.sh BUILD_DIRECTORY TEST_FILE: runs one file of these tests against BUILD_DIRECTORY/bin/npuprof.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
tools=$(dirname "$build")/e2e
[ -x "$tools/venv/bin/pytest" ] || "$here/prepare.sh" "$tools" || exit $?
mkdir -p "$build/e2e"
export NPUPROF_BIN=$build/bin/npuprof
export NPUPROF_E2E_TOOLS=$tools
exec "$tools/venv/bin/python" -B -m pytest -q -ra -p no:cacheprovider -o tmp_path_retention_policy=failed --basetemp "$build/e2e/$(basename "$2" .py)" "$here/$2"
