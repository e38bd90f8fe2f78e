// Options are read as the programs do: they end at the first word that is none, short ones may
// share a dash, a value may stand behind `=` or as the next word.
#include "facts/container_line.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "knowledge/images.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr std::size_t kMostInFront = 24;  // words in front of the program: sudo -E, A=1 B=2

constexpr std::array<std::string_view, 3> kPrograms{"docker", "podman", "nerdctl"};

bool starts_containers(std::string_view program) {
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

class LineReader {
 public:
  LineReader(std::span<const Word> words, std::size_t program) : words_(words), at_(program + 1) {
    line_.program = program_name(words[program].text);
    line_.program_word = program;
  }

  std::optional<ContainerLine> read();

 private:
  bool take_verb();
  void take_options(DockerVerb verb, bool kept);
  void take_long(DockerVerb verb, bool kept);
  void take_short(DockerVerb verb, bool kept);
  bool value_follows_unknown() const;
  void add(ContainerOption option, bool kept);

  std::span<const Word> words_;
  std::size_t at_;
  ContainerLine line_;
};

void LineReader::add(ContainerOption option, bool kept) {
  const Word& first = words_[option.first_word];
  const Word& last = words_[option.first_word + option.word_count - 1];
  option.span = first.span;
  if (last.span.source == first.span.source && last.span.end >= first.span.begin)
    option.span.end = last.span.end;
  for (std::size_t i = 0; i < option.word_count; ++i) {
    option.complete = option.complete && words_[option.first_word + i].complete;
    option.literal = option.literal && words_[option.first_word + i].literal;
  }
  at_ = option.first_word + option.word_count;
  if (kept) line_.options.push_back(std::move(option));
}

// An option that is not known: the next word is its value unless it is an option or the image.
bool LineReader::value_follows_unknown() const {
  if (at_ + 2 >= words_.size()) return false;
  const std::string_view next = words_[at_ + 1].text;
  return !next.starts_with('-') && !known_image(next);
}

void LineReader::take_long(DockerVerb verb, bool kept) {
  const std::string& text = words_[at_].text;
  const auto equals = text.find('=');
  ContainerOption option{.name = text.substr(0, equals), .first_word = at_};
  option.known = find_docker_option(verb, line_.program, option.name);
  if (equals != std::string::npos) {
    option.has_value = true;
    option.value = text.substr(equals + 1);
    option.value_at = equals + 1;
    return add(std::move(option), kept);
  }
  const bool separate = option.known != nullptr
                            ? option.known->takes_value && at_ + 1 < words_.size()
                            : value_follows_unknown();
  if (separate) {
    option.has_value = true;
    option.word_count = 2;
    option.value = words_[at_ + 1].text;
  }
  add(std::move(option), kept);
}

// -itd, -p8000:8000, -it -p=8000:8000: letters up to the first that takes a value.
void LineReader::take_short(DockerVerb verb, bool kept) {
  const std::size_t word = at_;
  const std::string& text = words_[word].text;
  for (std::size_t i = 1; i < text.size(); ++i) {
    ContainerOption option{.first_word = word};
    option.known = find_docker_option(verb, line_.program, text[i]);
    if (option.known == nullptr) {
      option.name = i == 1 ? text : std::string("-") + text[i];
      // -tp 2: an option of the engine that stands on the wrong side of the image.
      const bool separate = i == 1 && value_follows_unknown();
      if (separate) {
        option.has_value = true;
        option.word_count = 2;
        option.value = words_[word + 1].text;
      }
      return add(std::move(option), kept);
    }
    option.name = option.known->name;
    if (!option.known->takes_value) {
      add(std::move(option), kept);
      continue;
    }
    option.has_value = true;
    if (i + 1 < text.size()) {
      option.value_at = text[i + 1] == '=' ? i + 2 : i + 1;
      option.value = text.substr(option.value_at);
    } else if (word + 1 < words_.size()) {
      option.word_count = 2;
      option.value = words_[word + 1].text;
    }
    return add(std::move(option), kept);
  }
}

void LineReader::take_options(DockerVerb verb, bool kept) {
  while (at_ < words_.size()) {
    const std::string& text = words_[at_].text;
    if (text.size() < 2 || text.front() != '-') return;
    if (text == "--") {
      if (verb == DockerVerb::Run) ++at_;
      return;
    }
    if (text[1] == '-') {
      take_long(verb, kept);
    } else {
      take_short(verb, kept);
    }
  }
}

// `run`, `create`, `exec`, with `container` in front or not.
bool LineReader::take_verb() {
  take_options(DockerVerb::Global, false);
  if (at_ < words_.size() && words_[at_].text == "container") ++at_;
  if (at_ >= words_.size()) return false;
  const std::string_view verb = words_[at_].text;
  const bool kubectl = line_.program == "kubectl";
  if (!kubectl && (verb == "run" || verb == "create")) {
    line_.verb = ContainerLine::Verb::Run;
  } else if (verb == "exec") {
    line_.verb = kubectl ? ContainerLine::Verb::Kubectl : ContainerLine::Verb::Exec;
  } else {
    return false;
  }
  ++at_;
  return true;
}

std::optional<ContainerLine> LineReader::read() {
  if (!take_verb()) return {};
  const bool run = line_.verb == ContainerLine::Verb::Run;
  take_options(run ? DockerVerb::Run : DockerVerb::Exec, true);
  if (line_.verb == ContainerLine::Verb::Kubectl) {
    if (at_ >= words_.size()) return {};
    line_.image = at_++;
    take_options(DockerVerb::Exec, true);
    if (at_ >= words_.size() || words_[at_].text != "--") return {};
  }
  if (at_ >= words_.size()) return {};
  // kubectl's own words end with `--`; the others' with the image.
  if (line_.verb != ContainerLine::Verb::Kubectl) line_.image = at_;
  line_.inside = at_ + 1;
  return std::move(line_);
}

}  // namespace

std::optional<ContainerLine> container_line(std::span<const Word> words) {
  const std::size_t last = std::min(words.size(), kMostInFront);
  for (std::size_t i = 0; i < last; ++i) {
    const auto program = program_name(words[i].text);
    if (starts_containers(program) || program == "kubectl") return LineReader(words, i).read();
  }
  return {};
}

const ContainerOption* option_of(const ContainerLine& line, std::string_view name) {
  for (auto option = line.options.rbegin(); option != line.options.rend(); ++option) {
    if (option->name == name) return &*option;
  }
  return nullptr;
}

}  // namespace sx
