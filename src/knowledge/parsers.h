// In which format models write their tool calls and their thinking, and which parser of an engine
// reads that format (data/parsers.tsv).
#pragma once

#include <string_view>
#include <vector>

#include "base/version.h"

namespace sx {

// `flag` is "--tool-call-parser" or "--reasoning-parser". The model is told by the last part of its
// id or path; empty: not a model whose format is known.
std::vector<std::string_view> output_formats(std::string_view flag, std::string_view model);

// The format that a parser reads, whatever the version; empty: not known.
std::string_view format_of_parser(std::string_view engine, std::string_view flag,
                                  std::string_view parser);

// The engine's parsers of a format in a version, the usual one first.
std::vector<std::string_view> parsers_of_format(std::string_view engine, std::string_view flag,
                                                std::string_view format, const Version& version);

}  // namespace sx
