#pragma once

namespace npuprof::cli {

// Reads the command line, does what it says, and returns the program's exit status
// (cli/exit_code.hpp). Throws only for bugs and for a start that can't go on.
int run(int argc, char** argv);

}  // namespace npuprof::cli
