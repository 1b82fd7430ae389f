#include "transfer/file_handle.hpp"

#include <cerrno>
#include <system_error>

#include "core/error_codes.hpp"

namespace npuprof::transfer {

Error home_error(const std::string& what, int number) {
  Error error{.code = codes::io_error,
              .message = what + ": " + std::generic_category().message(number)};
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      error.code = codes::no_space;
      error.remedy =
          "Free some space on this machine (or raise its quota), then try again: what is "
          "verified is kept.";
      error.retryable = true;
      break;
    case ENOENT:
      error.code = codes::not_found;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      error.code = codes::permission_denied;
      break;
    case EEXIST:
    case ENOTEMPTY:
      error.code = codes::already_exists;
      break;
    default:
      break;
  }
  return error;
}

}  // namespace npuprof::transfer
