// Headings and fences; everything else is prose.
#include "casebook/page.h"

#include "base/strings.h"

namespace sx::casebook {
namespace {

// Takes the next line off `rest`, without its line end.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const auto end = text.find('\n', at);
  const std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
  at = end == std::string_view::npos ? text.size() : end + 1;
  return line;
}

}  // namespace

const Block* Scene::find(std::string_view info) const {
  for (const Block& block : blocks) {
    if (block.info == info) return &block;
  }
  return nullptr;
}

Page parse_page(std::string path, std::string text) {
  Page page{.path = std::move(path), .text = std::move(text), .code = {}, .scenes = {}};
  const std::string_view all = page.text;
  std::size_t at = 0;
  int line_number = 0;
  while (at < all.size()) {
    const std::string_view line = next_line(all, at);
    ++line_number;
    if (line.starts_with("# SX")) page.code = line.substr(2, 6);
    if (line.starts_with("## "))
      page.scenes.push_back({std::string(trimmed(line.substr(3))), line_number, {}});
    if (!line.starts_with("```")) continue;
    Block block{.info = std::string(trimmed(line.substr(3))), .text = {}, .begin = at, .end = at};
    while (at < all.size()) {
      block.end = at;
      const std::string_view inner = next_line(all, at);
      ++line_number;
      if (inner.starts_with("```")) break;
      block.end = at;
    }
    block.text = all.substr(block.begin, block.end - block.begin);
    if (!page.scenes.empty()) page.scenes.back().blocks.push_back(std::move(block));
  }
  return page;
}

}  // namespace sx::casebook
