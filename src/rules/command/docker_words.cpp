// A word counts when the engine's reader had trouble with it and docker has an option of that name.
#include "rules/command/docker_words.h"

#include <algorithm>

#include "facts/container_changes.h"

namespace sx::rules {
namespace {

bool in_trouble(const Case& c, std::size_t word) {
  return std::ranges::any_of(c.serve.problems, [word](const FlagProblem& problem) {
    return problem.word_count > 0 && problem.first_word == word &&
           problem.kind != FlagProblem::Kind::ExtraWord;
  });
}

// "-itd", "-p": letters that docker has, the last of them perhaps with a value. Empty: they are
// not.
std::optional<DockerWords> letters_at(const Case& c, const ContainerLine& line, std::size_t at) {
  const std::string& text = c.command.words[at].text;
  DockerWords words{.first_word = at};
  for (std::size_t i = 1; i < text.size(); ++i) {
    const auto* option = find_docker_option(DockerVerb::Run, line.program, text[i]);
    if (option == nullptr) return {};
    if (words.name.empty()) words.name = option->name;
    if (!option->takes_value) continue;
    if (i + 1 == text.size() && at + 1 < c.command.words.size()) words.word_count = 2;
    break;
  }
  return words;
}

std::optional<DockerWords> option_at(const Case& c, const ContainerLine& line, std::size_t at) {
  const std::string& text = c.command.words[at].text;
  if (text.size() < 2 || text[0] != '-' || !in_trouble(c, at)) return {};
  if (text[1] != '-') return letters_at(c, line, at);
  const auto equals = text.find('=');
  const auto* option =
      find_docker_option(DockerVerb::Run, line.program, std::string_view(text).substr(0, equals));
  if (option == nullptr) return {};
  DockerWords words{.name = option->name, .first_word = at};
  const bool separate =
      option->takes_value && equals == std::string::npos && at + 1 < c.command.words.size();
  if (separate) words.word_count = 2;
  return words;
}

}  // namespace

std::vector<DockerWords> docker_words_inside(const Case& c) {
  std::vector<DockerWords> found;
  if (c.command.front.empty() || c.serve.problems.empty() || c.command.one_word) return found;
  const auto line = run_line(c.command);
  if (!line) return found;
  for (std::size_t i = c.command.implied; i < c.command.words.size(); ++i) {
    if (const auto words = option_at(c, *line, i)) {
      found.push_back(*words);
      i += words->word_count - 1;
    }
  }
  return found;
}

bool belongs_to_docker(const Case& c, std::size_t word) {
  return std::ranges::any_of(docker_words_inside(c), [word](const DockerWords& words) {
    return words.first_word <= word && word < words.first_word + words.word_count;
  });
}

}  // namespace sx::rules
