// What must be known of an engine: how its command line reads, and how it spends memory. No
// processes, no sockets.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"
#include "fit/splits.h"
#include "fit/weights.h"

namespace sx {

// A file that a command line names and whose text decides what it means (`--config FILE`); the
// caller reads it. Returns the index of the source, or nothing when it cannot be read.
using SplicedFile = std::function<std::optional<int>(std::string_view path)>;

struct Engine {
  std::string_view name;  // "vllm"

  // Index of the first word of the launch in `words` ("vllm", "python"), or nothing when this is no
  // launch of it.
  std::optional<std::size_t> (*recognises)(std::span<const Word> words);

  // Programs of the engine that serve no clients, by their name ("llama-cli"), and how the one that
  // does is started. Null and empty: there are none to be taken for it.
  bool (*serves_nothing)(std::string_view program) = nullptr;
  std::string_view server = {};

  // Words → facts with places. Never fails: what is wrong becomes ServeSpec::problems.
  ServeSpec (*understand)(const Command& command, const Version& version, const Sources& sources,
                          const SplicedFile& spliced);

  // And back again: a whole command line, long names, one space between.
  std::vector<std::string> (*command_for)(const ServeSpec& serve);

  // Its own way to spend memory, for the case's own layout or for another one.
  std::expected<Budget, NoBudget> (*budget)(const Case& c, const Layout& layout);

  // How the launch's model would be split, with what the engine and the class decide filled in.
  SplitAsk (*split_ask)(const Case& c, const Layout& layout);

  // Whether the model's class may be split into stages in this version; empty: not known.
  std::optional<bool> (*pipeline_supported)(const Case& c);

  // Layers a stage gets in this version.
  std::vector<int> (*stages)(const Case& c, const Layout& layout);

  // Weights on a rank of each stage, the heaviest one, as the budget of that layout has them; empty
  // when they cannot be worked out. Null: nobody chooses the layers of a stage.
  std::vector<RankWeights> (*stage_weights)(const Case& c, const Layout& layout) = nullptr;

  // Of the budget no more than `Budget::weights_alone` says, for who tries many layouts of which
  // most are hopeless. Nothing where other lines count as well: they would tell GPUs apart that the
  // weights leave alike, or they change the weights. Null: the whole budget is asked for.
  std::optional<Budget> (*weights_alone)(const Case& c, const Layout& layout) = nullptr;
};

std::span<const Engine* const> all_engines();
const Engine* find_engine(std::string_view name);

// The layout that the case's command asks for; empty when sizes are unknown or make no sense (zero,
// negative, huge).
std::optional<Layout> layout_of(const ServeSpec& serve);

}  // namespace sx
