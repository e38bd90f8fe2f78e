// Lines first: a backslash at the end makes the next line part of this one, comments in between are
// skipped; then [section] and key=value.
#include "read/unit_file.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kLongest = std::size_t{4} << 20U;
constexpr std::size_t kMostEntries = 20'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::uint32_t small(std::size_t at) { return static_cast<std::uint32_t>(at); }

struct Line {
  std::size_t begin = 0, end = 0;  // without the line end
};

class UnitReader {
 public:
  UnitReader(std::string_view text, int source) : text_(text), source_(source) {
    if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::vector<UnitEntry> read() {
    while (at_ < text_.size() && entries_.size() < kMostEntries) {
      const Line line = stripped(next_line());
      if (line.begin == line.end || is_comment(line)) continue;
      if (text_[line.begin] == '[') {
        take_section(line);
      } else {
        take_entry(line);
      }
    }
    return std::move(entries_);
  }

 private:
  Line next_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const Line line{at_, end};
    at_ = end + 1;
    return line;
  }

  Line stripped(Line line) const {
    while (line.begin < line.end && is_blank(text_[line.begin])) ++line.begin;
    while (line.end > line.begin && is_blank(text_[line.end - 1])) --line.end;
    return line;
  }

  bool is_comment(const Line& line) const {
    return line.begin < line.end && (text_[line.begin] == '#' || text_[line.begin] == ';');
  }

  // The backslash is the line's last byte.
  bool goes_on(const Line& line) const {
    std::size_t end = line.end;
    if (end > line.begin && text_[end - 1] == '\r') --end;
    return end > line.begin && text_[end - 1] == '\\';
  }

  void take_section(const Line& line) {
    const std::size_t close = text_.substr(0, line.end).find(']', line.begin);
    if (close != std::string_view::npos)
      section_ = std::string(text_.substr(line.begin + 1, close - line.begin - 1));
  }

  void take_entry(Line line) {
    const std::size_t equals = text_.substr(0, line.end).find('=', line.begin);
    const bool is_entry = equals != std::string_view::npos;
    UnitEntry entry{.section = section_, .value = PlacedText(source_)};
    if (is_entry) {
      const Line key = stripped({line.begin, equals});
      entry.key = std::string(text_.substr(key.begin, key.end - key.begin));
      entry.key_span = {source_, key.begin, key.end};
      line.begin = stripped({equals + 1, line.end}).begin;
    }
    PlacedText whole(source_);
    while (goes_on(line)) {
      if (text_[line.end - 1] == '\r') --line.end;
      add(whole, {line.begin, line.end - 1});
      const std::size_t backslash = line.end - 1;
      if (at_ >= text_.size()) {
        line = {text_.size(), text_.size()};
        break;
      }
      line = next_line();
      while (is_comment(stripped(line)) && at_ < text_.size()) line = next_line();
      whole.add(" ", {source_, backslash, line.begin}, true);
    }
    add(whole, line);
    if (!is_entry) return;
    entry.value = without_outer_blanks(whole);
    entries_.push_back(std::move(entry));
  }

  void add(PlacedText& out, const Line& line) const {
    for (std::size_t at = line.begin; at < line.end; ++at) {
      if (text_[at] != '\r') out.add(text_[at], {.begin = small(at), .end = small(at + 1)});
    }
  }

  PlacedText without_outer_blanks(const PlacedText& whole) const {
    PlacedText out(source_);
    std::size_t begin = 0;
    std::size_t end = whole.size();
    while (begin < end && is_blank(whole.text()[begin])) ++begin;
    while (end > begin && is_blank(whole.text()[end - 1])) --end;
    for (std::size_t at = begin; at < end; ++at) out.add(whole, at);
    return out;
  }

  std::string_view text_;
  int source_;
  std::size_t at_ = 0;
  std::string section_;
  std::vector<UnitEntry> entries_;
};

}  // namespace

Result<std::vector<UnitEntry>> parse_unit(const Sources& sources, int source) {
  const Source& from = sources.at(source);
  const std::string name = from.name.empty() ? "the unit" : from.name;
  const std::string chinese_name = from.name.empty() ? "单元文件" : from.name + ' ';
  if (from.text.size() > kLongest) {
    return fail(Error::Kind::TooLarge, name + " is longer than 4 MiB", chinese_name + "超过 4 MiB");
  }
  if (!is_valid_utf8(from.text) || from.text.find('\0') != std::string::npos) {
    return fail(Error::Kind::Damaged, "cannot read " + name + ": it is not UTF-8 text",
                "无法读取 " + chinese_name + "：不是 UTF-8 文本");
  }
  auto entries = UnitReader(from.text, source).read();
  if (entries.size() >= kMostEntries) {
    return fail(Error::Kind::TooLarge, name + " has more than 20 000 entries",
                chinese_name + "的条目超过 20 000 个");
  }
  return entries;
}

}  // namespace sx
