// A casebook page: Markdown whose scenes are tests. A scene is a `##` heading with fenced blocks
// below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx::casebook {

struct Block {
  std::string info;       // "command", "config.json", "expect zh"
  std::string text;       // with its line ends
  std::size_t begin = 0;  // bytes of `text` in the page
  std::size_t end = 0;
};

struct Scene {
  std::string heading;
  int line = 1;
  std::vector<Block> blocks;

  const Block* find(std::string_view info) const;
};

struct Page {
  std::string path;  // below the source root
  std::string text;
  std::string code;  // "SX2103" of a rule's page; empty for other pages
  std::vector<Scene> scenes;
};

Page parse_page(std::string path, std::string text);

}  // namespace sx::casebook
