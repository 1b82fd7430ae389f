#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace npuprof::evidence {

// Blanks, trailing TABs and quotes around a cell removed.
std::string_view trimmed(std::string_view cell);

// "1736405443881410.320" microseconds as integer nanoseconds, exact to the last digit (a double
// would lose it); further decimals are rounded. Nothing where the text is no such number.
std::optional<std::int64_t> nanoseconds(std::string_view microseconds);

// A decimal number with nothing else around it than trimmed() removes; "N/A" and "" are none.
std::optional<double> number(std::string_view cell);

std::optional<std::int64_t> integer(std::string_view cell);

}  // namespace npuprof::evidence
