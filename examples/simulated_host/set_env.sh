# What CANN's set_env.sh does, for the simulated Ascend host: sourced by any POSIX shell before Python is started.
# NPUPROF_SIMULATED_HOST marks everything that is found and made here as simulated.

_here=
if [ -n "${BASH_SOURCE:-}" ]; then
  _here=$(dirname "$BASH_SOURCE")
else # a shell without BASH_SOURCE has this very file open
  for _fd in /proc/$$/fd/*; do
    case $(readlink "$_fd") in
      */simulated_host/set_env.sh) _here=$(dirname "$(readlink "$_fd")") ;;
    esac
  done
  [ -n "$_here" ] || _here=$(dirname "$(command -v npu-smi)")/..
fi
_here=$(cd "$_here" && pwd -P)

export NPUPROF_SIMULATED_HOST="$_here/root"
export ASCEND_HOME_PATH="$NPUPROF_SIMULATED_HOST/usr/local/Ascend/ascend-toolkit/latest"
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export ASCEND_OPP_PATH="$ASCEND_HOME_PATH/opp"
export PYTHONPATH="$_here/python${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONDONTWRITEBYTECODE=1 # leaves the checkout as it is
export PATH="$_here/bin:$PATH"
unset _here _fd
