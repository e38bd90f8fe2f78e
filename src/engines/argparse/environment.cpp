// Variables that engines read, each in the way that Python's code does.
#include "engines/argparse/environment.h"

#include <cstdlib>

#include "base/strings.h"
#include "engines/argparse/reading.h"
#include "engines/argparse/values.h"
#include "knowledge/truth_words.h"
#include "read/settings.h"

namespace sx::argparse {
namespace {

constexpr Text kNotLayers{"{value} is not a list of layer counts",
                          "{value} 不是以逗号分隔的层数列表"};

// More stages than any launch has.
constexpr std::size_t kStageLimit = 4096;
constexpr std::size_t kShownBytes = 60;

}  // namespace

Fact<std::string> variable(const Command& command, std::string_view name, const Sources& sources) {
  const Setting* found = last_setting(command.environment, name);
  if (found == nullptr) return {};
  if (!found->complete) return Fact<std::string>::unknown(why_incomplete(sources, found->span));
  return {found->value, Origin::Environment, found->span};
}

Fact<bool> truth_variable(const Command& command, std::string_view engine, std::string_view name,
                          const Sources& sources) {
  const auto text = variable(command, name, sources);
  if (!text.known()) {
    return text.why_unknown().empty() ? Fact<bool>(false, Origin::Default)
                                      : Fact<bool>::unknown(text.why_unknown());
  }
  return {variable_truth(engine, name, text.value()).value_or(false), Origin::Environment,
          text.span()};
}

Fact<PipelinePartition> partition_variable(const Command& command, std::string_view name,
                                           const Sources& sources) {
  const auto text = variable(command, name, sources);
  if (!text.known()) return Fact<PipelinePartition>::unknown(text.why_unknown());
  if (text.value().empty()) return {};
  PipelinePartition partition;
  for (const std::string_view part : split(text.value(), ',')) {
    const auto layers = python_integer(part);
    if (!layers || std::abs(*layers) > 1'000'000 || partition.layers.size() == kStageLimit) {
      return Fact<PipelinePartition>::unknown(
          {kNotLayers, {{"value", text.value().substr(0, kShownBytes)}}});
    }
    partition.layers.push_back(static_cast<int>(*layers));
  }
  return {std::move(partition), Origin::Environment, text.span()};
}

}  // namespace sx::argparse
