#pragma once

#include "host/host.hpp"

// What runs on a host: POSIX sh with find, stat, tar, xargs of GNU or busybox. Names travel between
// zero bytes and begin with "./".
namespace npuprof::transfer::remote_scripts {

// A command of /bin/sh -c with `args` as $1, $2, ... and no time limit to speak of.
inline Command command(const char* script, std::vector<std::string> args) {
  Command out;
  out.argv = {"/bin/sh", "-c", script, "sh"};
  out.argv.insert(out.argv.end(), args.begin(), args.end());
  out.timeout = std::chrono::hours(24 * 7);
  return out;
}

inline constexpr int no_such_directory = 66;
inline constexpr int not_a_directory = 67;
inline constexpr int not_readable = 68;

// $1: directory. Writes records that end in a zero byte: "tools ...", "cores N", "load X", then for
// each path that is no directory either "p TYPE SIZE MTIME MODE PATH", or (no GNU find) a block
// "b N", N times "HEXMODE SIZE MTIME" and N times the path; at last "end".
inline constexpr char manifest[] = R"sh(
LC_ALL=C; export LC_ALL
[ -e "$1" ] || exit 66
[ -d "$1" ] || exit 67
cd "$1" || exit 68
[ -r . ] || exit 68
tools=
for tool in zstd pigz gzip openssl sha256sum shasum python3; do
  command -v $tool >/dev/null 2>&1 && tools="$tools $tool"
done
case "$(tar --version 2>/dev/null)" in *GNU*) tools="$tools gnu_tar";; esac
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null)
load=; read -r load rest 2>/dev/null </proc/loadavg
printf 'tools%s\0cores %s\0load %s\0' "$tools" "$cores" "$load"
if find . -maxdepth 0 -printf '' >/dev/null 2>&1; then
  find . ! -type d -printf 'p %y %s %T@ %m %p\0'
else
  find . ! -type d -exec sh -c '
    info=$(stat -c "%f %s %Y" "$@" 2>/dev/null)
    if [ "$(printf "%s\n" "$info" | wc -l)" -eq $# ]; then
      printf "b %s\0" $#; printf "%s\n" "$info" | tr "\n" "\0"; printf "%s\0" "$@"
    else
      for path; do
        info=$(stat -c "%f %s %Y" "$path" 2>/dev/null) &&
          printf "b 1\0%s\0%s\0" "$info" "$path"
      done
    fi' sh {} +
fi
printf 'end\0'
)sh";

// What hashes: commands of the shell that print "SUM ..." of standard input, or "SUM *PATH" (or two
// spaces) for each argument.
inline constexpr char openssl[] = "openssl dgst -sha256 -r";
inline constexpr char sha256sum[] = "sha256sum";
inline constexpr char shasum[] = "shasum -a 256";
inline constexpr char python3[] = R"sh(python3 -c '
import hashlib, os, sys
for path in sys.argv[1:] or [None]:
    try:
        sum = hashlib.sha256()
        with (open(path, "rb") if path else sys.stdin.buffer) as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                sum.update(block)
        sys.stdout.buffer.write(sum.hexdigest().encode() + b" *" + os.fsencode(path or "-") + b"\n")
    except OSError as error:
        sys.stderr.write("%s\n" % error)
    sys.stdout.flush()')sh";

// $1: directory, $2: what hashes. Paths on stdin, without line ends and backslashes. One line
// "SUM *PATH" a path.
inline constexpr char hash[] = R"sh(
LC_ALL=C; export LC_ALL
cd "$1" || exit 68
eval "xargs -0 -n 128 $2"
exit 0
)sh";

// As hash, for any path: one line "SUM", or an empty one, a path, in order.
inline constexpr char hash_in_order[] = R"sh(
cd "$1" || exit 68
HASHER=$2 xargs -0 -n 1 sh -c '
  sum=$(eval "$HASHER" <"$1")
  printf "%s\n" "${sum%% *}"' sh
exit 0
)sh";

// $1: directory, $2: what hashes, $3: path, $4: bytes. "SUM ..." of the first bytes of one file.
inline constexpr char hash_prefix[] = R"sh(
cd "$1" || exit 68
head -c "$4" "$3" | eval "$2"
)sh";

// $1: directory, $2: codec (zstd, pigz, gzip, none), $3: its threads, $4: "gnu", "plain", or
// "single" (a tar a path). Paths on stdin; packed tar archives, one or several in a row, on stdout.
inline constexpr char pack[] = R"sh(
LC_ALL=C; export LC_ALL
cd "$1" || exit 68
codec=$2; threads=$3; kind=$4
tars() {
  case $kind in
    gnu) xargs -0 tar -b 512 --no-recursion --hard-dereference --format=gnu -cf -;;
    single) xargs -0 -n 1 tar -cf -;;
    *) xargs -0 tar -cf -;;
  esac
}
case $codec in
  zstd) tars | zstd -1 -q -c -T"$threads";;
  pigz) tars | pigz -1 -c -p "$threads";;
  gzip) tars | gzip -1 -c;;
  *) tars;;
esac
)sh";

// $1: directory, $2: codec, $3: its threads, $4: path, $5: number of the first byte, from 1.
inline constexpr char rest_of_file[] = R"sh(
cd "$1" || exit 68
case $2 in
  zstd) tail -c "+$5" "$4" | zstd -1 -q -c -T"$3";;
  pigz) tail -c "+$5" "$4" | pigz -1 -c -p "$3";;
  gzip) tail -c "+$5" "$4" | gzip -1 -c;;
  *) tail -c "+$5" "$4";;
esac
)sh";

// As many zero bytes as $1 says: how fast is the link?
inline constexpr char zeros[] = R"sh(head -c "$1" /dev/zero)sh";

}  // namespace npuprof::transfer::remote_scripts
