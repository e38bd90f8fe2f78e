// An SGLang command line in a test.
#pragma once

#include "cli_line.h"
#include "engines/sglang/sglang.h"

namespace sx::testing_sglang {

using testing_cli::command_of;
using testing_cli::kind_name;
using testing_cli::problems;
using testing_cli::set;
using testing_cli::Understood;

inline constexpr Version kNewest{0, 5, 23};

inline Understood read(const std::string& text, const Version& version = kNewest,
                       const std::vector<std::pair<std::string, std::string>>& files = {}) {
  return testing_cli::read(sglang::engine, text, version, files);
}

}  // namespace sx::testing_sglang
