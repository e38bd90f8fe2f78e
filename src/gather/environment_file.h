// Files of NAME=value lines, as compose, systemd and Podman take them beside a launch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "facts/surroundings.h"
#include "gather/outside.h"
#include "read/command.h"

namespace sx {

// Compose and systemd take comments, `export` and one pair of quotes around a value off; docker's
// --env-file takes the rest of the line as it is.
enum class EnvironmentSyntax { Quotes, AsItIs };

// At most `most` lines.
inline constexpr std::size_t kMostEnvironmentLines = 4096;
std::vector<Setting> environment_lines(std::string_view text, int source,
                                       std::size_t most = kMostEnvironmentLines,
                                       EnvironmentSyntax syntax = EnvironmentSyntax::Quotes);

// Whether a file may be missing: `-PATH` of systemd, `required: false` of compose.
enum class MayBeAbsent { No, Yes };

// The files of one launch. Each becomes a source of its name; nothing is added when it cannot be
// read. At most 32 files and 4096 lines of all of them; a remark says what was left out, and why.
class EnvironmentFiles {
 public:
  EnvironmentFiles(Sources& sources, const Outside& outside, Surroundings& around,
                   EnvironmentSyntax syntax = EnvironmentSyntax::Quotes)
      : sources_(sources), outside_(outside), around_(around), syntax_(syntax) {}
  void add(const std::string& name, const std::string& path, std::vector<Setting>& settings,
           MayBeAbsent absent = MayBeAbsent::No);

 private:
  Sources& sources_;
  const Outside& outside_;
  Surroundings& around_;
  EnvironmentSyntax syntax_;
  std::size_t files_ = 0;
  std::size_t lines_ = 0;
  bool told_ = false;
};

}  // namespace sx
