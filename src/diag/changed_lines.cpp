// Edits are gathered by the lines they touch; what they make of those lines is written beside them.
#include "diag/changed_lines.h"

#include <algorithm>

#include "base/strings.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kMostLines = 60;      // of a diff; a fix changes a handful
constexpr std::size_t kLongestLine = 4096;  // a longer one is read as a command, not as a line

// Neighbouring lines that edits touch, as bytes [begin, end) of the text, line ends excluded.
struct Touched {
  std::size_t begin = 0, end = 0;
  std::string after;  // the same bytes with the edits done
};

std::size_t line_begin(std::string_view text, std::size_t at) {
  const auto before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::vector<Touched> touched_by(const std::vector<Edit>& edits, std::string_view text) {
  std::vector<Touched> all;
  std::size_t done = 0;  // bytes of the text that the last one has taken over
  for (const Edit& edit : edits) {
    if (edit.span.begin > edit.span.end || edit.span.end > text.size()) return {};
    if (all.empty() || edit.span.begin > all.back().end) {
      if (!all.empty()) all.back().after += text.substr(done, all.back().end - done);
      const std::size_t begin = line_begin(text, edit.span.begin);
      all.push_back({.begin = begin, .end = line_end(text, edit.span.end), .after = {}});
      done = begin;
    }
    if (edit.span.begin < done) return {};  // edits that overlap
    Touched& last = all.back();
    last.end = std::max(last.end, line_end(text, edit.span.end));
    last.after += text.substr(done, edit.span.begin - done);
    last.after += edit.text;
    done = edit.span.end;
  }
  if (!all.empty()) all.back().after += text.substr(done, all.back().end - done);
  return all;
}

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

int count_lines(std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); }

// Lines that an edit at their edge touches without changing them are no part of the change.
void add_difference(std::vector<ChangedLine>& out, std::string_view before, std::string_view after,
                    int old_number, int new_number) {
  auto gone = lines_in(before), come = lines_in(after);
  std::size_t front = 0;
  while (front < gone.size() && front < come.size() && gone[front] == come[front]) ++front;
  std::size_t back = 0;
  while (back + front < gone.size() && back + front < come.size() &&
         gone[gone.size() - 1 - back] == come[come.size() - 1 - back])
    ++back;
  for (std::size_t i = front; i + back < gone.size(); ++i)
    out.push_back({false, old_number + static_cast<int>(i), std::string(gone[i])});
  for (std::size_t i = front; i + back < come.size(); ++i)
    out.push_back({true, new_number + static_cast<int>(i), std::string(come[i])});
}

}  // namespace

std::vector<ChangedLine> changed_lines(const std::vector<Edit>& edits, const Sources& sources) {
  if (edits.empty()) return {};
  const int source = edits.front().span.source;
  const bool one_source =
      std::ranges::all_of(edits, [source](const Edit& edit) { return edit.span.source == source; });
  if (!one_source || source < 0 || static_cast<std::size_t>(source) >= sources.all().size())
    return {};
  const std::string_view text = sources.at(source).text;
  std::vector<ChangedLine> out;
  int old_number = 1;
  int shift = 0;  // lines that earlier changes have added
  std::size_t counted = 0;
  for (const Touched& part : touched_by(edits, text)) {
    old_number += count_lines(text.substr(counted, part.begin - counted));
    counted = part.begin;
    const std::string_view before = text.substr(part.begin, part.end - part.begin);
    add_difference(out, before, part.after, old_number, old_number + shift);
    shift += count_lines(part.after) - count_lines(before);
    const bool long_line = std::ranges::any_of(
        out, [](const ChangedLine& line) { return line.text.size() > kLongestLine; });
    if (long_line || out.size() > kMostLines) return {};
  }
  return out;
}

std::string as_diff(const std::vector<ChangedLine>& lines) {
  std::size_t width = 1;
  for (const ChangedLine& line : lines) width = std::max(width, std::to_string(line.number).size());
  std::string out;
  for (const ChangedLine& line : lines) {
    out += padded_left(std::to_string(line.number), width);
    out += line.added ? " + " : " - ";
    out += line.text;
    out += '\n';
  }
  return out;
}

}  // namespace sx
