#!/bin/sh
# collect_profile.sh TARGET ENTRY: profiles ENTRY ("path.py:function", below the target's workspace) on
# TARGET, through bare JSON-RPC to `npuprof serve`: no MCP, no handshake. Writes what came home, and
# exits with 0 only where the data may be used. Needs npuprof and python3 (to read JSON) on the PATH.
set -eu
target=${1:?target} entry=${2:?entry}

# rpc METHOD PARAMS: one request, one answer. The result goes to stdout; an error to stderr, status 1.
rpc() {
  printf '{"jsonrpc": "2.0", "id": 1, "method": "%s", "params": %s}\n' "$1" "$2" >&3
  IFS= read -r line <&4
  printf '%s' "$line" | python3 -c '
import json, sys
answer = json.load(sys.stdin)
if "error" in answer:
    error = answer["error"].get("data") or answer["error"]
    sys.exit("%s: %s %s" % (error.get("code"), error.get("message"), error.get("remedy", "")))
json.dump(answer["result"], sys.stdout)'
}

# field PATH: one field of the JSON on stdin, "" where it is missing.
field() {
  python3 -c '
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1].split("."):
    value = value.get(name) if isinstance(value, dict) else None
print("" if value is None else value)' "$1"
}

json() { python3 -c 'import json, sys; print(json.dumps(dict(zip(sys.argv[1::2], sys.argv[2::2]))))' "$@"; }

pipes=$(mktemp -d)
trap 'exec 3>&- 4<&-; wait; rm -rf "$pipes"' EXIT
mkfifo "$pipes/in" "$pipes/out"
npuprof serve <"$pipes/in" >"$pipes/out" &
exec 3>"$pipes/in" 4<"$pipes/out"

rpc precheck "$(json target "$target")" >"$pipes/precheck"
echo "precheck  passed"
rpc collect_profile "$(json target "$target" entry "$entry")" >"$pipes/record"

# A run that takes longer than collect_profile waits goes on by itself: ask until it has ended.
run_id=$(field run_id <"$pipes/record")
while :; do
  state=$(field state <"$pipes/record")
  artifact=$(field artifact.state <"$pipes/record")
  case $state in
    failed | cancelled | timed_out | lost) break ;;
    captured) [ "$artifact" != verified ] || break ;;
  esac
  echo "run       $run_id is $state"
  rpc fetch_artifact "$(json run_id "$run_id")" >"$pipes/record"
done

trust=$(field verdict.trust <"$pipes/record")
echo "run       $run_id is $state"
echo "warm-up   $(field warmup.verdict <"$pipes/record")"
echo "verdict   $trust"
echo "artifact  $(field artifact.archive_path <"$pipes/record")"
echo "sha256    $(field artifact.sha256 <"$pipes/record")"
case $trust in trusted | usable_with_care) ;; *) exit 1 ;; esac
