#!/bin/sh
# The fault campaign: run.sh BUILD_FOLDER. Ends with 0 only where every fault ended as it must.
here=$(dirname "$0")
NPUPROF_BIN=$(cd "$1" && pwd)/bin/npuprof
export NPUPROF_BIN
exec python3 "$here/test_take_over.py"
