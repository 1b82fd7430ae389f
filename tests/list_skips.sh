#!/bin/bash
# list_skips.sh BUILD_DIRECTORY: what the last ctest run there skipped, and why, so that a skip can't pass for green.
log=$1/Testing/Temporary/LastTest.log
[ -r "$log" ] || exit 0
skips=$(grep -aE '^(SKIPPED \[|SKIP: )|: Skipped$' "$log" | sort | uniq -c)
[ -z "$skips" ] || printf 'Skipped in this run:\n%s\n' "$skips"
