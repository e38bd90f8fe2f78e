// A command line in a test: words between blanks, '…' kept together, spans into one source.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/engine.h"

namespace sx::testing_cli {

// 'a b' is one word; a word with $ in it is not known here, as after an unset variable.
inline Command command_of(Sources& sources, const std::string& text) {
  Command command;
  command.source = sources.add({.kind = SourceKind::File, .name = "serve.sh", .text = text});
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const bool quoted = text[at] == '\'';
    const std::size_t end =
        std::min(quoted ? text.find('\'', at + 1) + 1 : text.find(' ', at), text.size());
    Word word{.text = text.substr(at, end - at), .span = {command.source, at, end}};
    if (quoted) word.text = word.text.substr(1, word.text.size() - 2);
    word.complete = word.text.find('$') == std::string::npos;
    word.literal = word.complete;
    command.words.push_back(word);
    at = end;
  }
  return command;
}

inline void set(Command& command, std::string name, std::string value) {
  command.environment.push_back({.name = std::move(name), .value = std::move(value)});
}

struct Understood {
  Sources sources;
  Command command;
  ServeSpec serve;

  std::string text(const std::optional<Span>& span) const {
    return span ? std::string(sources.text(*span)) : "no span";
  }
};

// `files`: name and text of what --config may name.
inline Understood read(const Engine& engine, const std::string& text, const Version& version,
                       const std::vector<std::pair<std::string, std::string>>& files = {}) {
  Understood all;
  all.command = command_of(all.sources, text);
  const auto spliced = [&](std::string_view path) -> std::optional<int> {
    for (const auto& [name, bytes] : files) {
      if (name == path)
        return all.sources.add({.kind = SourceKind::File, .name = name, .text = bytes});
    }
    return {};
  };
  all.serve = engine.understand(all.command, version, all.sources, spliced);
  return all;
}

inline std::string_view kind_name(FlagProblem::Kind kind) {
  switch (kind) {
    case FlagProblem::Kind::Unknown:
      return "unknown";
    case FlagProblem::Kind::NotYet:
      return "not yet";
    case FlagProblem::Kind::Removed:
      return "removed";
    case FlagProblem::Kind::Ambiguous:
      return "ambiguous";
    case FlagProblem::Kind::MissingValue:
      return "missing value";
    case FlagProblem::Kind::UnwantedValue:
      return "unwanted value";
    case FlagProblem::Kind::WrongType:
      return "wrong type";
    case FlagProblem::Kind::NotAChoice:
      return "not a choice";
    case FlagProblem::Kind::BadJson:
      return "bad json";
    case FlagProblem::Kind::ExtraWord:
      return "extra word";
    case FlagProblem::Kind::ConfigIgnored:
      return "config ignored";
    case FlagProblem::Kind::ConfigUnreadable:
      return "config unreadable";
    case FlagProblem::Kind::NoEffect:
      return "no effect";
  }
  return "?";
}

// "unknown --tp", one after another.
inline std::string problems(const ServeSpec& serve) {
  std::string all;
  for (const FlagProblem& problem : serve.problems) {
    if (!all.empty()) all += "; ";
    all += std::string(kind_name(problem.kind)) + ' ' + problem.typed;
  }
  return all;
}

}  // namespace sx::testing_cli
