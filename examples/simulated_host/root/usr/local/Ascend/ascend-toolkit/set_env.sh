# Where CANN puts it; the simulated host's own is set_env.sh at its top.
. "${NPUPROF_SIMULATED_HOST:?}/../set_env.sh"
