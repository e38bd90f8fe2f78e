// Engines and programs beside them that are recognised but have no adapter of their own
// (data/other_engines.tsv), and what their flags are called elsewhere (data/other_flags.tsv).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/both.h"

namespace sx {

struct OtherEngine {
  // A server that holds a model; what starts a script of unknown content; what hands requests on;
  // what serves nobody; a server that is no more.
  enum class Kind { Server, Launcher, Router, Tool, Removed };

  std::string_view id;     // "trtllm": the name in machine formats
  std::string_view shown;  // "TensorRT-LLM"
  Kind kind = Kind::Tool;
  // Each a list of words: "python" is any Python, "x*" begins so, "*x" ends so, "...x" stands
  // anywhere behind, "$" is the end.
  std::vector<std::vector<std::string_view>> forms;
  std::string_view nearest;  // engine that a launch of it is translated to; empty: none
  bool same_flags = false;   // flags that are not in the table are those of `nearest`
  std::optional<int> tensor_parallel, port;  // where the command does not say them
  std::string_view host;                     // the same; empty: not known
  bool starts_without_gpu = false;           // and serves from host memory then
  std::vector<std::string_view> rules;       // rules for other engines that hold for it, too
  Both checked, left;                        // what was looked at, and what was not

  bool serves() const { return kind == Kind::Server || kind == Kind::Removed; }
};

struct OtherFlag {
  // What follows: one word; nothing; words up to the next flag; perhaps one; HOST:PORT; or it is
  // no flag but the first free word; a list whose length is the value where nothing else says it;
  // or the first free word and all behind it, which are another program's.
  enum class Takes { OneWord, Switch, Words, Optional, Address, First, Count, Rest };

  std::vector<std::string_view> names;  // names without a dash are variables
  Takes takes = Takes::OneWord;
  // The flag of the engine it is translated to; "model"; "no-gpu": it takes none; empty: none.
  std::string_view means;
  std::vector<std::pair<std::string_view, std::string_view>> values;  // empty: as they are
};

std::span<const OtherEngine> other_engines();
const OtherEngine* find_other_engine(std::string_view id);
// Whether the table says that a rule holds for the engine.
bool rule_holds_for(const OtherEngine& engine, std::string_view rule);

std::span<const OtherFlag> other_flags(std::string_view engine);
// By a name as typed; `-` and `_` are alike. Null: not in the table.
const OtherFlag* find_other_flag(std::string_view engine, std::string_view typed);
// The engine's own name of a flag that rules know by vLLM's; empty: it has none.
std::string_view other_name_of(std::string_view engine, std::string_view common);

}  // namespace sx
