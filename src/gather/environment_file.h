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

// Comments and `export` are taken off, and one pair of quotes around a value. At most `most` lines.
inline constexpr std::size_t kMostEnvironmentLines = 4096;
std::vector<Setting> environment_lines(std::string_view text, int source,
                                       std::size_t most = kMostEnvironmentLines);

// The files of one launch. Each becomes a source of its name; nothing is added when it cannot be
// read. At most 32 files and 4096 lines of all of them; a remark says what was left out.
class EnvironmentFiles {
 public:
  EnvironmentFiles(Sources& sources, const Outside& outside, Surroundings& around)
      : sources_(sources), outside_(outside), around_(around) {}
  void add(const std::string& name, const std::string& path, std::vector<Setting>& settings);

 private:
  Sources& sources_;
  const Outside& outside_;
  Surroundings& around_;
  std::size_t files_ = 0;
  std::size_t lines_ = 0;
  bool told_ = false;
};

}  // namespace sx
