#!/bin/bash
# run.sh BUILD_DIRECTORY SECONDS: runs every fuzz target there for so long each. The corpus found is kept in
# BUILD_DIRECTORY/corpus, and what made a target fail in BUILD_DIRECTORY/findings.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
seconds=$2
status=0
for target in "$build"/fuzz/*_fuzz; do
  name=$(basename "$target")
  corpus=$build/corpus/$name
  mkdir -p "$corpus" "$build/findings"
  first=()
  [ ! -d "$here/corpus/$name" ] || first=("$here/corpus/$name")
  if "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$build/findings/$name-" \
    -print_final_stats=1 "$corpus" "${first[@]}" >"$build/$name.log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs, nothing found"
  else
    status=1
    echo "$name: FAILED, see $build/$name.log"
    tail -n 30 "$build/$name.log"
  fi
done
exit $status
