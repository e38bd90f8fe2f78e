// What Python's json module refuses: what our reader refuses, and what it takes with a note.
#include <algorithm>

#include "base/check.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::optional<Both> refused(JsonNote::Kind kind) {
  switch (kind) {
    case JsonNote::Kind::Comment:
      return Both{"JSON has no comments", "JSON 没有注释"};
    case JsonNote::Kind::TrailingComma:
      return Both{"nothing follows this comma", "这个逗号之后没有内容"};
    case JsonNote::Kind::NotUtf8:
      return Both{"this byte is no UTF-8", "这个字节不是 UTF-8"};
    case JsonNote::Kind::DuplicateKey:
    case JsonNote::Kind::NotFinite:
      return {};
  }
  SX_UNREACHABLE("a note of JSON that nobody thought of");
}

}  // namespace

std::optional<JsonFault> JsonDocument::refused_by_python(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    const std::size_t begin = std::min(kByteOrderMark.size(), text.size() - 1);
    return JsonFault{
        .begin = begin,
        .end = std::min(begin + 1, text.size()),
        .what = {"a byte-order mark stands in front of it", "前面有字节顺序标记（BOM）"}};
  }
  const auto document = parse(text);
  if (!document) return fault_of(text);
  for (const JsonNote& note : document->notes()) {
    if (auto what = refused(note.kind))
      return JsonFault{.begin = note.begin, .end = note.end, .what = *std::move(what)};
  }
  return {};
}

}  // namespace sx
