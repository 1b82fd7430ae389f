# One CMake target a folder. A target's headers are reachable only through it (as "folder/header.hpp"), so what is
# not linked cannot be included.

add_library(npuprof_flags INTERFACE)
target_compile_options(npuprof_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
# g++ 12 and 13 see overlaps and overflows in std::string's own code once they optimise.
target_compile_options(
  npuprof_flags INTERFACE "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
if(NPUPROF_SANITIZE)
  target_compile_options(npuprof_flags INTERFACE -fsanitize=${NPUPROF_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(npuprof_flags INTERFACE -fsanitize=${NPUPROF_SANITIZE})
endif()
if(NPUPROF_FUZZ)
  target_compile_options(npuprof_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
  target_link_options(npuprof_flags INTERFACE -fsanitize=address,undefined)
endif()

# The heavy headers, compiled once.
file(WRITE ${CMAKE_BINARY_DIR}/pch/heavy.cpp "")
add_library(npuprof_pch OBJECT ${CMAKE_BINARY_DIR}/pch/heavy.cpp)
target_link_libraries(npuprof_pch PRIVATE npuprof_flags nlohmann_json::nlohmann_json tl::expected Threads::Threads)
target_precompile_headers(npuprof_pch PRIVATE <nlohmann/json.hpp> <tl/expected.hpp> <algorithm> <chrono> <filesystem>
                          <functional> <map> <memory> <mutex> <optional> <string> <string_view> <thread> <vector>)

# npuprof_library(NAME SOURCES ... [PUBLIC targets...] [PRIVATE targets...])
# Makes the static library NAME of the current folder; its headers are "NAME/x.hpp".
function(npuprof_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include/${name}/${name} SYMBOLIC)
  target_include_directories(${name} PUBLIC ${CMAKE_BINARY_DIR}/include/${name})
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE npuprof_flags ${arg_PRIVATE} Threads::Threads)
  target_precompile_headers(${name} REUSE_FROM npuprof_pch)
endfunction()

# npuprof_embed(TARGET VARIABLE_HEADER NAMESPACE FILES...)
# Compiles files into TARGET; <header>.hpp offers `std::string_view embedded(std::string_view file_name)`.
function(npuprof_embed target namespace)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  list(JOIN inputs "|" joined)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAMESPACE=${namespace} "-DFILES=${joined}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# npuprof_test(NAME SOURCES ... LINK targets... [LABELS ...])
function(npuprof_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE npuprof_flags ${arg_LINK} GTest::gmock GTest::gtest_main Threads::Threads)
  target_compile_definitions(${name} PRIVATE NPUPROF_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             NPUPROF_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared/data"
                                             NPUPROF_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_precompile_headers(${name} REUSE_FROM npuprof_test_pch)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120 LABELS "${arg_LABELS}")
endfunction()

if(NPUPROF_TESTS)
  include(GoogleTest)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/heavy_test.cpp "")
  add_library(npuprof_test_pch OBJECT ${CMAKE_BINARY_DIR}/pch/heavy_test.cpp)
  target_link_libraries(npuprof_test_pch PRIVATE npuprof_flags nlohmann_json::nlohmann_json tl::expected GTest::gmock
                                                 Threads::Threads)
  target_compile_definitions(npuprof_test_pch PRIVATE NPUPROF_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                                      NPUPROF_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared/data"
                                                      NPUPROF_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_precompile_headers(npuprof_test_pch PRIVATE <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>
                            <tl/expected.hpp> <algorithm> <chrono> <filesystem> <functional> <map> <memory> <mutex>
                            <optional> <string> <string_view> <thread> <vector>)
endif()

if(NPUPROF_FUZZ)
  add_custom_target(fuzz_targets)
endif()

# npuprof_fuzz(NAME SOURCES ... LINK targets...)
# A libFuzzer target (clang, -DNPUPROF_FUZZ=ON). tests/fuzz/corpus/NAME, where it exists, is its first corpus.
function(npuprof_fuzz name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE npuprof_flags ${arg_LINK} Threads::Threads)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(fuzz_targets ${name})
endfunction()

# npuprof_bench(NAME SOURCES ... LINK targets...)
# A Google Benchmark program (-DNPUPROF_BENCH=ON).
function(npuprof_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE npuprof_flags ${arg_LINK} benchmark::benchmark Threads::Threads)
  target_compile_definitions(${name} PRIVATE NPUPROF_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             NPUPROF_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared/data"
                                             NPUPROF_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()
