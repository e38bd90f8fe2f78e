// Everything that is not an excerpt goes through here, so that nothing unprintable reaches the
// terminal.
#include "diag/sentences.h"

#include <algorithm>

#include "base/strings.h"
#include "text/columns.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr std::size_t kCommandIndent = 4;
constexpr std::size_t kSentenceIndent = 2;

std::size_t room(std::size_t width, std::size_t taken) {
  width = std::max(width, kLeastWidth);
  return width > taken ? width - taken : 1;
}

}  // namespace

std::string hanging(std::string_view head, Paint head_paint, std::string_view sentence, Paint paint,
                    std::size_t width, const Painter& painter) {
  const std::size_t taken = columns(head);
  const std::vector<std::string> lines = wrapped(printable(sentence), room(width, taken));
  if (lines.empty()) head = trimmed(head);
  std::string out = painter(head_paint, head);
  bool first = true;
  for (const std::string& line : lines) {
    if (!first) out.append("\n").append(taken, ' ');
    first = false;
    out += painter(paint, line);
  }
  return out + "\n";
}

std::string sentence(std::string_view text, Paint paint, std::size_t width,
                     const Painter& painter) {
  std::string out;
  for (const std::string& line : wrapped(printable(text), room(width, kSentenceIndent))) {
    if (!out.empty()) out.append(kSentenceIndent, ' ');
    out += painter(paint, line) + "\n";
  }
  return out;
}

std::string command_lines(std::string_view command, const Painter& painter) {
  std::string out;
  for (const std::string_view line : lines_of(command)) {
    std::string shown;
    for (const std::string_view part : split(line, '\t')) {
      if (!shown.empty() || part.data() != line.data()) shown += '\t';
      shown += printable(part);
    }
    out.append(kCommandIndent, ' ').append(painter(Paint::Command, shown)).append("\n");
  }
  return out;
}

}  // namespace sx
