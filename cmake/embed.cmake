# Writes OUTPUT: a C++ source that holds FILES (separated by |) and `NAMESPACE::embedded(name)`, which gives the text
# of one by its file name, or an empty view.
string(REPLACE "|" ";" files "${FILES}")
set(body "")
set(table "")
set(index 0)
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
  string(APPEND body "const unsigned char file_${index}[] = {${bytes}0};\n")
  string(APPEND table
         "    {\"${name}\", {reinterpret_cast<const char*>(file_${index}), sizeof(file_${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include <string_view>
#include <utility>

namespace {
${body}
const std::pair<std::string_view, std::string_view> files[] = {
${table}};
}  // namespace

namespace ${NAMESPACE} {
std::string_view embedded(std::string_view name) {
  for (const auto& [file, text] : files) {
    if (file == name) return text;
  }
  return {};
}
}  // namespace ${NAMESPACE}
")
