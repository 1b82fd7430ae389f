#!/bin/sh
# Runs every benchmark of the build folder $1 (default build/release): once over loopback and, for root, over emulated
# links; then the readers of CANN output. NPUPROF_BENCH_MB and NPUPROF_BENCH_RUNS make it smaller (1000 MB, 3 runs).
set -eu
build=${1:-build/release}
here=$(dirname "$0")
for program in "$build"/bin/*_benchmark; do
  [ -x "$program" ] && "$program"
done
for link in loopback 1g40 100m40; do
  python3 "$here/transfer_bench.py" --build "$build" --link $link --megabytes "${NPUPROF_BENCH_MB:-1000}" \
    --runs "${NPUPROF_BENCH_RUNS:-3}"
done
python3 "$here/evidence.py" "$build/bin/evidence_bench"
