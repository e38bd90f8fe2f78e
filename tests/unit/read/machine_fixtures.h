// Reading the topology texts of tests/cases/topology and their tables.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "read/machine_text.h"

namespace sx {

inline std::string topology_file(const std::string& name) {
  std::ifstream file(std::string(SEXTANT_SOURCE_DIR) + "/tests/cases/topology/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Rows of a table without its header.
inline std::vector<std::vector<std::string>> topology_table(const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  const std::string text = topology_file(name);
  for (const std::string_view line : lines_of(text)) {
    std::vector<std::string> cells;
    for (const std::string_view cell : split(line, '\t')) cells.emplace_back(cell);
    rows.push_back(std::move(cells));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

inline Result<MachineText> machine_of(std::string text) {
  Sources sources;
  const int source = sources.add({.name = "pasted.txt", .text = std::move(text)});
  return parse_machine_text(sources, source);
}

}  // namespace sx
