// The longest form of the table that a command begins with.
#include <algorithm>

#include "engines/other/other.h"
#include "engines/python_command.h"

namespace sx::other {
namespace {

std::string_view file_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  return name;
}

bool fits(std::string_view pattern, std::string_view word) {
  if (pattern.starts_with('*')) {
    const std::string_view end = pattern.substr(1);
    if (!word.ends_with(end)) return false;
    // "*main.py" is a file of that name, in whatever folder.
    return word.size() == end.size() || word[word.size() - end.size() - 1] == '/' ||
           end.starts_with('/');
  }
  if (pattern.ends_with('*')) return word.starts_with(pattern.substr(0, pattern.size() - 1));
  return word == pattern;
}

// Words of the form; nothing when the command does not begin with it.
std::optional<std::size_t> length_of(const std::vector<std::string_view>& form,
                                     std::span<const Word> words) {
  if (form.empty() || words.empty()) return {};
  const std::string_view program = file_name(words[0].text);
  const bool python = form[0] == "python";
  if (python ? !is_python(program) : !fits(form[0], program)) return {};
  std::size_t at = python ? behind_python_options(words, 1) : std::size_t{1};
  for (std::size_t i = 1; i < form.size(); ++i) {
    if (form[i] == "$") return at == words.size() ? std::optional(at) : std::nullopt;
    if (form[i].starts_with("...")) {
      const auto rest = words.subspan(std::min(at, words.size()));
      const std::string_view flag = form[i].substr(3);
      const bool there = std::ranges::any_of(rest, [flag](const Word& word) {
        return word.text == flag ||
               (word.text.starts_with(flag) && word.text.substr(flag.size()).starts_with('='));
      });
      if (!there) return {};
      continue;
    }
    if (at >= words.size() || !fits(form[i], words[at].text)) return {};
    ++at;
  }
  return at;
}

bool asks_for_help(std::span<const Word> words, std::size_t from) {
  return std::ranges::any_of(words.subspan(std::min(from, words.size())), [](const Word& word) {
    return word.text == "--help" || word.text == "-h" || word.text == "--version";
  });
}

}  // namespace

std::optional<Launch> find_launch(std::span<const Word> words) {
  Launch best;
  for (const OtherEngine& row : other_engines()) {
    for (const auto& form : row.forms) {
      const auto length = length_of(form, words);
      if (length && (best.engine == nullptr || *length > best.arguments))
        best = {.engine = &row, .arguments = *length};
    }
  }
  if (best.engine == nullptr || asks_for_help(words, best.arguments)) return {};
  return best;
}

}  // namespace sx::other
