#include <exception>
#include <iostream>

#include "cli/cli.hpp"

int main(int argc, char** argv) {
  try {
    return npuprof::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "npuprof: " << error.what() << std::endl;
    return 1;
  }
}
