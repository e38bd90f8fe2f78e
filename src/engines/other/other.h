// Launches of engines that are recognised and not known in depth: one thin reader for all of them,
// driven by data/other_engines.tsv and data/other_flags.tsv.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "knowledge/other_engines.h"

namespace sx::other {

extern const Engine engine;  // understand() fills in the name of the one it recognised

struct Launch {
  const OtherEngine* engine = nullptr;
  std::size_t arguments = 0;  // index of the first word behind those that name it
};
std::optional<Launch> find_launch(std::span<const Word> words);

// One flag, variable or free word of a launch, as the table reads it.
struct Use {
  const OtherFlag* flag = nullptr;  // null: not in the table
  std::string name;                 // the table's name; of an unknown flag as typed
  std::string typed;
  std::vector<std::string> values;
  Span name_span, span;
  std::size_t first_word = 0, word_count = 0;  // no words: a variable
  bool variable = false;
  bool complete = true;
};
std::vector<Use> uses_of(const Command& command, const Launch& launch);

ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile& spliced);

// The nearest launch of an engine that is checked in depth.
struct Translation {
  std::string_view engine;                 // "vllm"
  std::vector<std::string> words;          // with `env NAME=value` in front where GPUs are chosen
  std::vector<std::string> left_out = {};  // flags and variables without a counterpart there
};
// Nothing when the engine has no near one, or the launch names no model.
std::optional<Translation> translate(const Command& command);

}  // namespace sx::other
