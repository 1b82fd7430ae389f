# What npuprof wants to know of a host, as one JSON document on standard output. POSIX sh with coreutils or busybox;
# run by bash where there is one, since CANN's set_env.sh is written for it. Reads only; leaves nothing behind.
#
# The document: {"npuprof_probe":1,"<field>":"<base64>",...,"end":1}. A field is text in sections: a line
# "<mark> <name>", what belongs to it, and for a command "<mark> = <exit status>" (missing: its output was cut).

mark=$1 workspace=$2 lease_dir=$3 python=$4 import_s=$5 metadata_py=$6 import_py=$7
shift 7
# The rest: scripts to source, "--", directories for the front of PATH.
set_env= path_prepend=
newline='
'
while [ $# -gt 0 ] && [ "$1" != -- ]; do set_env=$set_env$1$newline; shift; done
[ $# -gt 0 ] && shift
while [ $# -gt 0 ]; do path_prepend=$path_prepend${path_prepend:+:}$1; shift; done

lang=${LC_ALL:-${LC_CTYPE:-$LANG}}
LC_ALL=C; export LC_ALL
most=262144
root=

if base64 </dev/null >/dev/null 2>&1; then
  encode() { base64 | tr -d '\n'; }
else
  encode() { printf 'hex:'; od -An -v -tx1 | tr -d ' \n'; }
fi

if timeout -k 1 5 true 2>/dev/null; then
  bounded() { timeout -k 2 "$@"; }
elif timeout 5 true 2>/dev/null; then
  bounded() { timeout "$@"; }
elif timeout -t 5 true 2>/dev/null; then
  bounded() { timeout -t "$@"; }
else
  bounded() {
    bounded_s=$1; shift
    "$@" & bounded_pid=$!
    ( sleep "$bounded_s"; kill -9 $bounded_pid ) >/dev/null 2>&1 & watch_pid=$!
    wait $bounded_pid; bounded_status=$?
    kill $watch_pid 2>/dev/null
    return $bounded_status
  }
fi

field() { printf ',\n"%s":"' "$1"; "field_$1" </dev/null 2>&1 | encode; printf '"'; }
section() { printf '\n%s %s\n' "$mark" "$1"; }
fact() { section "$1"; printf '%s' "$2"; }

# command_section NAME SECONDS COMMAND...
command_section() {
  section "$1"
  shift
  { bounded "$@" 2>&1; printf '\n%s = %s' "$mark" $?; } | head -c $most
}

file_section() { [ -f "$1" ] && { section "file $1"; head -c 8192 "$1" 2>/dev/null; }; }

field_system() {
  command_section clock 5 date +%s.%N
  command_section uname 5 uname -snrm
  command_section id 5 id
  fact home "$HOME"
  fact shell "$SHELL"
  fact umask "$(umask)"
  fact lang "$lang"
  [ -f /.dockerenv ] && fact container docker
  [ -f /run/.containerenv ] && fact container podman
  [ -n "$container" ] && fact container "$container"
  grep -q -E 'docker|kubepods|containerd|libpod' /proc/1/cgroup 2>/dev/null && fact container container
  file_section /etc/os-release
}

# Sources a script in this shell as the run will: no arguments, unset variables allowed.
source_quietly() { set_env_script=$1; set --; set +eu; . "$set_env_script"; set +eu; }

find_set_env() {
  install_path=$(sed -n 's/^Install_Path=//p' /etc/Ascend/ascend_cann_install.info 2>/dev/null | head -n 1)
  for found in "${install_path:-/nowhere}/cann/set_env.sh" "${install_path:-/nowhere}/ascend-toolkit/set_env.sh" \
      /usr/local/Ascend/cann/set_env.sh /usr/local/Ascend/ascend-toolkit/set_env.sh \
      /usr/local/Ascend/latest/set_env.sh /usr/local/Ascend/nnrt/set_env.sh \
      "$HOME/Ascend/cann/set_env.sh" "$HOME/Ascend/ascend-toolkit/set_env.sh" /opt/conda/Ascend/cann-*/set_env.sh; do
    if [ -f "$found" ]; then
      set_env=$found$newline
      break
    fi
  done
  [ -n "$set_env" ] && [ -f /usr/local/Ascend/nnal/atb/set_env.sh ] &&
    set_env=$set_env/usr/local/Ascend/nnal/atb/set_env.sh$newline
}

# Tried in a shell of its own first: a script that ends its shell must not end the probe.
field_set_env() {
  fact given "$given"
  printf '%s' "$set_env" | while IFS= read -r script; do
    [ -n "$script" ] || continue
    section "script $script"
    if [ ! -f "$script" ] || [ ! -r "$script" ]; then
      echo "not there, or not readable"
      continue
    fi
    { ( source_quietly "$script"; printf '\n%s = 0' "$mark" ) 2>&1; } | head -c 4096
  done
}

source_all() {
  rest=$set_env
  while [ -n "$rest" ]; do
    script=${rest%%"$newline"*} rest=${rest#*"$newline"}
    [ -n "$script" ] && [ -r "$script" ] && [ -f "$script" ] || continue
    if ( source_quietly "$script"; printf sourced ) 2>/dev/null </dev/null | grep -q 'sourced$'; then
      source_quietly "$script" </dev/null >/dev/null 2>&1
    fi
  done
  [ -n "$path_prepend" ] && PATH=$path_prepend:$PATH
  export PATH
  root=${NPUPROF_SIMULATED_HOST:-}
}

find_npu_smi() {
  npu_smi=$(command -v npu-smi 2>/dev/null)
  [ -n "$root" ] && return
  for found in /usr/local/bin/npu-smi /usr/local/sbin/npu-smi /usr/sbin/npu-smi /usr/bin/npu-smi; do
    [ -z "$npu_smi" ] && [ -x "$found" ] && npu_smi=$found
  done
}

# npu-smi runs one at a time: it doesn't like company.
field_devices() {
  find_npu_smi
  fact npu_smi_path "$npu_smi"
  if [ -n "$npu_smi" ]; then
    command_section info 20 "$npu_smi" info
    command_section map 15 "$npu_smi" info -m
    command_section list 15 "$npu_smi" info -l
  fi
  set --
  section access
  for node in "$root"/dev/davinci* "$root"/dev/devmm_svm "$root"/dev/hisi_hdc; do
    [ -e "$node" ] || continue
    set -- "$@" "$node"
    [ -r "$node" ] && [ -w "$node" ] && echo "${node##*/}"
  done
  section mounts
  for file in etc/ascend_install.info usr/local/dcmi usr/local/Ascend/driver/lib64 \
      usr/local/Ascend/driver/version.info; do
    [ -e "$root/$file" ] || echo "/$file"
  done
  [ $# -gt 0 ] && command_section nodes 5 stat -c '%a %U %G %n' "$@"
  if [ -d "$root/sys/bus/pci/devices" ]; then
    section pci
    for device in "$root"/sys/bus/pci/devices/*; do
      read -r vendor <"$device/vendor" || continue
      [ "$vendor" = 0x19e5 ] && read -r id <"$device/device" && echo "${device##*/} $id"
    done 2>/dev/null
  elif command -v lspci >/dev/null 2>&1; then
    command_section lspci 10 lspci -n -d 19e5:
  fi
}

# cann SOURCE PATH: where CANN may be; its files once for each place that it really is.
cann() {
  [ -n "$2" ] || return
  [ -e "$2" ] || [ -L "$2" ] || return
  real=$(readlink -f "$2" 2>/dev/null)
  [ -d "$real" ] || real=
  section "cann $1"
  printf '%s\n%s\n' "$2" "$real"
  case "$newline$seen" in *"$newline$real$newline"*) return ;; esac
  seen=$seen$real$newline
  for file in "$real"/*-linux/ascend_*_install.info "$real"/version.cfg "$real"/version.info "$real"/compiler/version.info \
      "$real"/opp/version.info "$real"/toolkit/version.info "$real"/share/info/*/version.info; do
    file_section "$file"
  done
}

field_software() {
  fact root "$root"
  section env
  env | grep -E '^(ASCEND_[A-Z_]*|ATB_HOME_PATH|PROFIL[A-Z_]*|PROF_CONFIG_PATH|RANK|WORLD_SIZE|LOCAL_RANK|KINETO_USE_DAEMON|MSMONITOR_USE_DAEMON|TORCH_DEVICE_BACKEND_AUTOLOAD|HCCL_[A-Z_]*|PYTHONPATH|LD_LIBRARY_PATH|PATH)=' |
    head -c 32768
  etc=$root/etc base=$root/usr/local/Ascend
  for file in "$etc/ascend_install.info" "$etc/Ascend/ascend_cann_install.info" "$base/driver/version.info" \
      "$base/firmware/version.info"; do
    file_section "$file"
  done
  driver=$(sed -n 's/^Driver_Install_Path_Param=//p' "$etc/ascend_install.info" 2>/dev/null | head -n 1)
  if [ -n "$driver" ] && [ "$driver" != /usr/local/Ascend ] && [ -z "$root" ]; then
    file_section "$driver/driver/version.info"
    file_section "$driver/firmware/version.info"
  fi
  seen=
  cann '$ASCEND_HOME_PATH' "$ASCEND_HOME_PATH"
  cann '$ASCEND_TOOLKIT_HOME' "$ASCEND_TOOLKIT_HOME"
  cann standard "$base/cann"
  cann standard "$base/ascend-toolkit/latest"
  cann standard "$base/latest"
  cann standard "$base/nnrt/latest"
  if [ -z "$root" ]; then
    cann home "$HOME/Ascend/cann"
    cann home "$HOME/Ascend/ascend-toolkit/latest"
    for file in /opt/conda/Ascend/cann-*; do cann conda "$file"; done
  fi
  install_path=$(sed -n 's/^Install_Path=//p' "$etc/Ascend/ascend_cann_install.info" 2>/dev/null | head -n 1)
  if [ -n "$install_path" ]; then
    cann install.info "$install_path/cann"
    cann install.info "$install_path/ascend-toolkit/latest"
  fi
  fact msprof "$(command -v msprof 2>/dev/null)"
}

field_place() {
  section workspace
  [ -e "$workspace" ] && echo exists
  [ -d "$workspace" ] && echo directory
  [ -w "$workspace" ] && [ -x "$workspace" ] && echo writable
  fact workspace_real "$(readlink -f "$workspace" 2>/dev/null)"
  if [ -d "$workspace" ]; then
    set -- "$workspace/"
    parent=$(readlink -f "$workspace" 2>/dev/null)
    while [ -n "$parent" ] && [ "$parent" != / ]; do
      set -- "$@" "$parent"
      parent=${parent%/*}
    done
    command_section workspace_stat 5 stat -c '%a %U %n' "$@"
    command_section disk 10 df -Pk "$workspace"
    command_section inodes 10 df -Pi "$workspace"
  fi
  [ -d "$root/dev/shm" ] && command_section shm 5 ls -l "$root/dev/shm"
  section profilers
  grep -E '^(msprof|msprofbin|npu-monitor|npumonitor|dynolog|dyno)$' /proc/[0-9]*/comm 2>/dev/null | head -c 8192
  [ -d "$lease_dir" ] && fact lease_dir "$lease_dir"
  grep -q -F " $lease_dir " /proc/self/mountinfo 2>/dev/null && fact lease_dir_mounted yes
  for file in "$lease_dir"/*.lock; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    section "lease ${file##*/}"
    holder=
    IFS= read -r holder <"$file" 2>/dev/null
    printf '%s' "$holder" | head -c 2048
  done
}

field_python() {
  python_path=$(command -v "$python" 2>/dev/null)
  fact python_path "$python_path"
  [ -n "$python_path" ] || return
  command_section metadata 30 "$python" -c "$metadata_py" "$lease_dir"
  [ "$import_s" -gt 0 ] || return
  cd "$workspace" 2>/dev/null
  section import
  { bounded "$import_s" "$python" -c "$import_py" 2>&1; printf '\n%s = %s' "$mark" $?; } | tail -c 16384
}

field_clock() { command_section clock 5 date +%s.%N; }

given=$set_env
[ -n "$set_env" ] || find_set_env
printf '{"npuprof_probe":1'
field system
field set_env
source_all
field devices
field software
field place
field python
field clock
printf ',\n"end":1}\n'
