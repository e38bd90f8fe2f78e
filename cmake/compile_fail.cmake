# Run by ctest: SOURCE must not compile, and the compiler must print the sentence that stands in
# the file's first line after "// expect: ".

file(STRINGS "${SOURCE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${SOURCE}:1: the first line must be `// expect: SENTENCE`")
endif()
set(sentence "${CMAKE_MATCH_1}")

# The expectation itself may be quoted by the compiler: that does not count.
get_filename_component(name "${SOURCE}" NAME)
execute_process(
  COMMAND "${COMPILER}" -std=c++23 -fsyntax-only "-I${INCLUDE}" "${SOURCE}"
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(code EQUAL 0)
  message(FATAL_ERROR "${name} compiles; it should be refused with: ${sentence}")
endif()
string(REPLACE "${first}" "" output "${output}")
string(FIND "${output}" "${sentence}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${name} is refused, but not with: ${sentence}\n${output}")
endif()
message("1 passed, 0 failed")
