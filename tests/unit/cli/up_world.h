// An outside in memory for what `up` makes: no driver, no files but those that a test adds.
#pragma once

#include <map>
#include <string>

#include "cli/up_ask.h"
#include "sys/files.h"

namespace sx {

struct UpWorld {
  MemoryFiles files;
  Outside outside;
  explicit UpWorld(std::map<std::string, std::string, std::less<>> variables = {}) {
    variables.emplace("PATH", "/bin");
    outside.files = &files;
    outside.folder = "/srv";
    outside.environment = Environment(std::move(variables));
    outside.nvml = [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "none", "无")); };
    outside.standard_input = [] { return Result<std::string>(std::string()); };
  }
};

}  // namespace sx
