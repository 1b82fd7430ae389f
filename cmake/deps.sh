#!/bin/bash
# deps.sh GROUP...: installs the Debian packages of each group (build, test, lint, fuzz, bench, all)
# that this machine lacks. Package names hold for Debian 12 and Ubuntu 24.04. What is installed
# already is not asked of the network.
set -eu

build=(g++ cmake ninja-build pkg-config nlohmann-json3-dev libspdlog-dev libexpected-dev libssl-dev
  libarchive-dev libsimdjson-dev libcli11-dev libtomlplusplus-dev libsqlite3-dev zlib1g-dev libssh-dev
  libvalijson-dev libcpp-httplib-dev python3)
test=(libgtest-dev libgmock-dev openssh-server openssh-client python3-venv zstd procps busybox-static python3-torch)
lint=(clang-14 clang-format-14 clang-tidy-14)
fuzz=(clang-14 libclang-rt-14-dev)
bench=(libbenchmark-dev openssh-server openssh-client python3-paramiko rsync zstd iproute2)

say() { echo "deps: $*" >&2; }

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${build[@]}" "${test[@]}") ;;
    lint) wanted+=("${build[@]}" "${test[@]}" "${lint[@]}") ;;
    fuzz) wanted+=("${build[@]}" "${fuzz[@]}") ;;
    bench) wanted+=("${build[@]}" "${bench[@]}") ;;
    all) wanted+=("${build[@]}" "${test[@]}" "${lint[@]}" "${fuzz[@]}" "${bench[@]}") ;;
    *) say "no such group: $group"; exit 2 ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "this machine has no apt: npuprof builds on Debian 12 and Ubuntu 24.04 (elsewhere install what cmake/deps.sh lists, then run cmake --preset release)"
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  case " ${missing[*]-} " in *" $package "*) continue ;; esac
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "not root and no sudo here: as root, run apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi

say "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the package lists that are here"
unknown=()
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
done
if [ ${#unknown[@]} -gt 0 ]; then
  say "this system's package lists have no ${unknown[*]}: npuprof builds on Debian 12 and Ubuntu 24.04"
  exit 1
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
