// What the words behind a command and the lines between two commands tell.
#include "rules/serving/side_by_side.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sx::rules {

bool in_background(const Command& command) {
  if (std::ranges::find(command.after, "&") != command.after.end()) return true;
  return std::ranges::any_of(command.front, [](const Word& word) {
    return word.text == "-d" || word.text == "--detach" || word.text == "-itd" ||
           word.text == "-dit" || word.text == "-td";
  });
}

bool ended_between(const Case& c, const Command& first, const Command& second) {
  static constexpr std::array<std::string_view, 5> kEnds{"kill", "wait", "stop", "else", "exit"};
  if (first.source != second.source || second.span.begin < first.span.end) return false;
  const std::string_view between =
      c.sources->text({first.source, first.span.end, second.span.begin});
  return std::ranges::any_of(kEnds, [&between](std::string_view word) {
    return between.find(word) != std::string_view::npos;
  });
}

}  // namespace sx::rules
