#!/bin/bash
# tidy.sh BUILD_DIRECTORY JOBS: runs clang-tidy over every source of the program that the build
# directory's compile commands name (tests are held by the compiler's warnings and clang-format). A file that was clean is not read again until it, a header of
# the project or .clang-tidy changes.
set -eu
build=$1
jobs=$2
stamps=$build/tidy
mkdir -p "$stamps"
headers=$(git ls-files -z '*.hpp' .clang-tidy CMakePresets.json cmake | sort -z | xargs -0 cat | sha256sum | cut -c1-16)

tidy_one() {
  local source=$1 key
  key=$stamps/$(cat "$source" <(echo "$headers $source") | sha256sum | cut -c1-32)
  [ ! -e "$key" ] || return 0
  if output=$(clang-tidy-14 --quiet -p "$build" "$source" 2>/dev/null); then
    touch "$key"
  else
    printf '%s\n' "$output"
    return 1
  fi
}
export -f tidy_one
export build stamps headers

git ls-files -z 'server/*.cpp' 'tools/*.cpp' 'schemas/*.cpp' |
  while IFS= read -r -d '' source; do
    ! grep -qF "/$source\"" "$build/compile_commands.json" || printf '%s\0' "$source"
  done | xargs -0 -n 1 -P "$jobs" bash -c 'tidy_one "$1"' tidy
