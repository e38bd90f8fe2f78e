# Puts data/**/*.tsv|*.json, the scenes data/causes/scenes/**/*.md and the rule pages
# src/rules/**/*.md into the program as bytes.
# One assembler file holds them all by .incbin; a C++ file beside it is the index that
# src/knowledge/embedded.h declares. A changed file is assembled again, a new one is picked up.

file(GLOB_RECURSE sx_embedded_files CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/data/*.tsv"
  "${CMAKE_SOURCE_DIR}/data/*.json"
  "${CMAKE_SOURCE_DIR}/data/causes/scenes/*.md"
  "${CMAKE_SOURCE_DIR}/src/rules/*.md")
list(SORT sx_embedded_files)

set(sx_assembly "// Made by cmake/embed.cmake.\n.section .rodata\n")
set(sx_declarations "")
set(sx_rows "")
set(sx_count 0)
foreach(path IN LISTS sx_embedded_files)
  file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}" "${path}")
  string(REGEX REPLACE "^src/" "" name "${name}")
  set(symbol "sx_embedded_${sx_count}")
  string(APPEND sx_assembly
    ".balign 8\n"
    ".global ${symbol}_size\n.hidden ${symbol}_size\n${symbol}_size: .quad 2f - 1f\n"
    ".global ${symbol}\n.hidden ${symbol}\n${symbol}:\n1: .incbin \"${path}\"\n2:\n")
  string(APPEND sx_declarations
    "extern const char ${symbol}[];\nextern const std::uint64_t ${symbol}_size;\n")
  string(APPEND sx_rows "    Raw{\"${name}\", ${symbol}, &${symbol}_size},\n")
  math(EXPR sx_count "${sx_count} + 1")
endforeach()
string(APPEND sx_assembly ".section .note.GNU-stack,\"\",%progbits\n")

set(sx_embedded_s "${CMAKE_BINARY_DIR}/embedded/bytes.S")
set(sx_embedded_cpp "${CMAKE_BINARY_DIR}/embedded/embedded.cpp")
file(CONFIGURE OUTPUT "${sx_embedded_s}" CONTENT "${sx_assembly}" @ONLY)
file(CONFIGURE OUTPUT "${sx_embedded_cpp}" @ONLY CONTENT
"// Made by cmake/embed.cmake: the index of the embedded files, in order of their names.
#include \"knowledge/embedded.h\"

#include <array>
#include <cstddef>
#include <cstdint>

extern \"C\" {
@sx_declarations@}

namespace sx {
namespace {

struct Raw {
  std::string_view name;
  const char* bytes;
  const std::uint64_t* size;
};

constexpr std::array<Raw, @sx_count@> kRaw{
@sx_rows@};

}  // namespace

std::span<const Embedded> embedded_files() {
  // Filled on the first call, so that a start that needs no data pays nothing.
  static const auto files = [] {
    std::array<Embedded, kRaw.size()> filled{};
    for (std::size_t i = 0; i < filled.size(); ++i) {
      filled[i] = {kRaw[i].name, {kRaw[i].bytes, static_cast<std::size_t>(*kRaw[i].size)}};
    }
    return filled;
  }();
  return files;
}

}  // namespace sx
")
set_source_files_properties("${sx_embedded_s}" PROPERTIES OBJECT_DEPENDS "${sx_embedded_files}")
set(SX_GENERATED_knowledge "${sx_embedded_cpp}" "${sx_embedded_s}")
