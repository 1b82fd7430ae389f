#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

// The commands behind Host's file functions, for a POSIX shell with coreutils or busybox, and the
// readers of what they print.
namespace npuprof::file_commands {

// Every script's "$1" is the path. Each runs with LC_ALL=C, so that its errors can be told apart.
extern const std::string_view read;            // $2: bytes at most, $3: offset
extern const std::string_view write;           // $2: octal mode, $3: temporary name, $4: bytes
extern const std::string_view stat;            //
extern const std::string_view list;            //
extern const std::string_view make_directory;  // $2: octal mode

// What a failed script says of `path`: its code from the last words of its errors.
Error error(const CommandOutput& output, const std::string& action, const std::string& path,
            const std::string& host);

// "81a4 12 1700000000 dev" (stat) and "f 644 12 1700000000.5 dev" (find).
Result<FileInfo> parse_info(std::string_view line);
Result<std::vector<DirectoryEntry>> parse_list(std::string_view output);

}  // namespace npuprof::file_commands
