#pragma once

#include <string>

namespace npuprof {

// "KILL" for 9; the number in words where it has no name.
std::string signal_name(int number);

// 9 for "KILL", 0 where the name is unknown.
int signal_number(const std::string& name);

}  // namespace npuprof
