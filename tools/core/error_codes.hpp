#pragma once

// The stable codes of Error::code. docs/troubleshooting.md says of each what to do.
namespace npuprof::codes {

// The call and the configuration.
inline constexpr char invalid_arguments[] = "INVALID_ARGUMENTS";
inline constexpr char config_invalid[] = "CONFIG_INVALID";
inline constexpr char target_unknown[] = "TARGET_UNKNOWN";
inline constexpr char target_ambiguous[] = "TARGET_AMBIGUOUS";
inline constexpr char cancelled[] = "CANCELLED";
inline constexpr char timed_out[] = "TIMED_OUT";
inline constexpr char internal[] = "INTERNAL";

// Reaching a host.
inline constexpr char host_unreachable[] = "HOST_UNREACHABLE";
inline constexpr char host_key_unknown[] = "HOST_KEY_UNKNOWN";
inline constexpr char host_key_changed[] = "HOST_KEY_CHANGED";
inline constexpr char auth_failed[] = "AUTH_FAILED";
inline constexpr char connection_lost[] = "CONNECTION_LOST";
inline constexpr char channel_refused[] = "CHANNEL_REFUSED";
inline constexpr char container_unavailable[] = "CONTAINER_UNAVAILABLE";

// Commands and files of a host.
inline constexpr char command_failed[] = "COMMAND_FAILED";
inline constexpr char not_found[] = "NOT_FOUND";
inline constexpr char already_exists[] = "ALREADY_EXISTS";
inline constexpr char permission_denied[] = "PERMISSION_DENIED";
inline constexpr char no_space[] = "NO_SPACE";
inline constexpr char too_large[] = "TOO_LARGE";
inline constexpr char io_error[] = "IO_ERROR";

// Runs.
inline constexpr char precheck_failed[] = "PRECHECK_FAILED";
inline constexpr char path_outside_workspace[] = "PATH_OUTSIDE_WORKSPACE";
inline constexpr char path_not_allowed[] = "PATH_NOT_ALLOWED";
inline constexpr char device_unknown[] = "DEVICE_UNKNOWN";
inline constexpr char device_busy[] = "DEVICE_BUSY";
inline constexpr char run_unknown[] = "RUN_UNKNOWN";
inline constexpr char run_key_conflict[] = "RUN_KEY_CONFLICT";
inline constexpr char run_lost[] = "RUN_LOST";
inline constexpr char runner_died[] = "RUNNER_DIED";
inline constexpr char workload_failed[] = "WORKLOAD_FAILED";
inline constexpr char no_output[] = "NO_OUTPUT";
inline constexpr char format_unknown[] = "FORMAT_UNKNOWN";

// Artifacts.
inline constexpr char remote_changed[] = "REMOTE_CHANGED";
inline constexpr char checksum_mismatch[] = "CHECKSUM_MISMATCH";
inline constexpr char archive_unsafe[] = "ARCHIVE_UNSAFE";
inline constexpr char archive_broken[] = "ARCHIVE_BROKEN";

}  // namespace npuprof::codes
