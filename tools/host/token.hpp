#pragma once

#include <string>

namespace npuprof {

// 32 lower-case hexadecimal digits, different at every call, not to be guessed.
std::string random_token();

}  // namespace npuprof
