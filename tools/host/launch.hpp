#pragma once

#include <string>
#include <string_view>

#include "host/host.hpp"

// How a command is started and ended where only a shell of the host can do it.
namespace npuprof {

// 'text', as a POSIX shell reads it back unchanged.
std::string shell_quote(std::string_view text);

// POSIX shell words that set the command's variables (and `marker` as command_variable), announce
// the shell, and enter the directory.
std::string launch_prologue(const Command& command, const std::string& marker);

// The prologue, and then the shell becomes the program.
std::string launch_script(const Command& command, const std::string& marker);

// Words that any login shell (sh, bash, zsh, fish, tcsh) takes unchanged: they run, as a POSIX
// shell script, the first line of standard input, which is base64; the rest of it stays for the
// program. What runs is thus never an argument: it has no length limit and shows in no process
// list.
extern const std::string_view launcher;
std::string launch_line(std::string_view script);

// A script for /bin/sh that ends a command's tree and waits for its end (3 s at most): $1 is its
// marker, $2 the process id it announced, or empty. Everything that carries the marker in its
// environment, and the process group, get TERM and then KILL.
extern const std::string_view end_tree_script;

}  // namespace npuprof
