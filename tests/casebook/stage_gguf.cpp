// Lines of a block → keys and tensors.
#include "casebook/stage_gguf.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"
#include "unit/read/gguf_made.h"

namespace sx::casebook {
namespace {

std::uint32_t number(std::string_view text) {
  return static_cast<std::uint32_t>(to_integer(trimmed(text)).value_or(0));
}

// "28x3584" and "28/4".
std::pair<std::uint32_t, std::uint32_t> pair_of(std::string_view text, char between) {
  const auto at = std::min(text.find(between), text.size());
  return {number(text.substr(0, at)), number(text.substr(std::min(at + 1, text.size())))};
}

GgufMaker shaped(std::string_view line) {
  const auto words = split(trimmed(line), ' ');
  GgufShape shape;
  if (words.size() != 4) return made_gguf(shape);
  shape.architecture = words[0];
  std::tie(shape.layers, shape.width) = pair_of(words[1], 'x');
  std::tie(shape.heads, shape.kv_heads) = pair_of(words[2], '/');
  shape.context = number(words[3]);
  return made_gguf(shape);
}

void add_key(GgufMaker& made, std::string_view key, std::string_view value) {
  if (value.starts_with('[')) {
    std::vector<std::uint32_t> items;
    for (const auto item : split(value.substr(1, value.size() - 2), ','))
      items.push_back(number(item));
    made.u32s(key, items);
  } else if (to_integer(value)) {
    made.u32(key, number(value));
  } else {
    made.string(key, value);
  }
}

void add_tensor(GgufMaker& made, const std::vector<std::string_view>& words) {
  std::vector<std::uint64_t> shape;
  for (const auto size : split(words[3], 'x')) shape.push_back(number(size));
  made.tensor(words[1], words[2], shape);
}

}  // namespace

void add_gguf(MemoryFiles& files, const std::string& path, const std::string& text) {
  GgufMaker made;
  std::int64_t cut = 0;
  for (const auto line : lines_of(text)) {
    const auto words = split(trimmed(line), ' ');
    if (words.front() == "shape:") made = shaped(line.substr(6));
    if (words.size() == 4 && words.front() == "tensor") add_tensor(made, words);
    if (words.size() == 2 && words.front() == "cut:") cut = to_integer(words[1]).value_or(0);
    if (words.size() == 2 && words.front() == "split:") {
      const auto [part, count] = pair_of(words[1], '/');
      made.raw("split.no", 2, GgufMaker::bits(part - 1, 2))
          .raw("split.count", 2, GgufMaker::bits(count, 2));
    }
    if (words.size() == 3 && words[1] == "=") add_key(made, words[0], words[2]);
  }
  files.add_sparse(path, made.header(), made.length() - Bytes{cut});
}

}  // namespace sx::casebook
