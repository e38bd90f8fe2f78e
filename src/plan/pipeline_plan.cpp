// Cards that hold everything are replicas; else components are put on cards, the largest first.
#include "plan/pipeline_plan.h"

#include <algorithm>

#include "base/strings.h"
#include "check/free_memory.h"
#include "plan/commands.h"
#include "plan/placement.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr int kSurelySplits = 2;  // head counts are even; more is asked only where they are known

std::string command_of(std::string_view pattern, const PipelineAsk& ask,
                       const PipelineProgram& program, const std::vector<int>& gpus, int nth) {
  std::string command = replaced(replaced(pattern, "{model}", shell_quoted(ask.model)), "{gpus}",
                                 std::to_string(gpus.size()));
  const auto blank = program.port.find(' ');
  const auto first =
      blank == std::string_view::npos ? std::nullopt : to_integer(program.port.substr(blank + 1));
  const int port = first ? free_port(*ask.host, static_cast<int>(*first), nth) : 0;
  if (port > 0)
    command += ' ' + std::string(program.port.substr(0, blank + 1)) + std::to_string(port);
  return "env CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=" + join(gpus, ",") + ' ' + command;
}

std::vector<int> all_but(const std::vector<PipelineCard>& cards, const std::vector<int>& used) {
  std::vector<int> rest;
  for (const PipelineCard& card : cards) {
    if (std::ranges::find(used, card.gpu) == used.end()) rest.push_back(card.gpu);
  }
  return rest;
}

void add_replicas(PipelineAnswer& answer, const PipelineAsk& ask, const std::vector<int>& holding) {
  for (const PipelineProgram& program : pipeline_programs()) {
    if (program.one_gpu.empty()) continue;
    PipelineServing plan{.program = &program,
                         .replicas = static_cast<int>(holding.size()),
                         .gpus_each = 1,
                         .gpus = {},
                         .idle = all_but(answer.cards, holding),
                         .commands = {}};
    for (int i = 0; i < plan.replicas; ++i) {
      plan.gpus.push_back({holding[static_cast<std::size_t>(i)]});
      plan.commands.push_back(command_of(program.one_gpu, ask, program, plan.gpus.back(), i));
    }
    answer.plans.push_back(std::move(plan));
  }
}

// The most cards that one picture's heads divide over.
int cards_of_one_picture(int heads, int most) {
  if (heads <= 0) return std::min(kSurelySplits, most);
  int count = most;
  while (count > 1 && heads % count != 0) --count;
  return count;
}

void add_splits(PipelineAnswer& answer, const PipelineAsk& ask, const std::vector<int>& holding) {
  const int count = cards_of_one_picture(answer.heads, static_cast<int>(holding.size()));
  if (count < 2) return;
  std::vector<int> gpus(holding.begin(), holding.begin() + count);
  // Where all cards will do, those with the best links.
  if (holding.size() == ask.host->gpus.size()) {
    const LaunchShape shape{.tensor = count};
    gpus = Placer(*ask.host).place({shape, 1}).of(shape, 0);
  }
  for (const PipelineProgram& program : pipeline_programs()) {
    if (program.several_gpus.empty()) continue;
    answer.plans.push_back({.program = &program,
                            .replicas = 1,
                            .gpus_each = count,
                            .gpus = {gpus},
                            .idle = all_but(answer.cards, gpus),
                            .commands = {command_of(program.several_gpus, ask, program, gpus, 0)}});
  }
}

// Each component on the card with the most left, the largest first; nothing when one has no room.
std::vector<PlacedComponent> placed_on(const PipelineAnswer& answer, const PipelineAsk& ask) {
  std::vector<const PipelinePart*> parts;
  for (const PipelinePart& part : *ask.parts) {
    if (part.bytes() > Bytes{0}) parts.push_back(&part);
  }
  std::ranges::sort(parts, [](const PipelinePart* a, const PipelinePart* b) {
    return a->bytes() != b->bytes() ? a->bytes() > b->bytes() : a->name < b->name;
  });
  std::vector<Bytes> left;
  for (const PipelineCard& card : answer.cards) left.push_back(card.free);
  std::vector<PlacedComponent> placed;
  for (const PipelinePart* part : parts) {
    const auto most = std::ranges::max_element(left);
    if (most == left.end() || *most <= part->bytes()) return {};
    *most -= part->bytes();
    placed.push_back({part, answer.cards[static_cast<std::size_t>(most - left.begin())].gpu});
  }
  return placed;
}

}  // namespace

PipelineAnswer plan_pipeline(const PipelineAsk& ask) {
  PipelineAnswer answer;
  answer.weights = weights_of(*ask.parts);
  if (const PipelinePart* largest = largest_of(*ask.parts))
    answer.heads = largest->files.heads.value_or(0);
  std::vector<int> holding;
  for (const Gpu& gpu : ask.host->gpus) {
    if (ask.gpus > 0 && static_cast<int>(answer.cards.size()) == ask.gpus) break;
    if (!gpu.usable.known()) {
      answer.memory_unknown = true;
      continue;
    }
    const Bytes capacity = gpu.usable.value();
    const Bytes free = free_now(gpu).value_or(capacity);
    answer.cards.push_back({gpu.index, capacity, free, free > answer.weights});
    if (answer.cards.back().holds_all) holding.push_back(gpu.index);
  }
  if (answer.weights <= Bytes{0}) answer.memory_unknown = true;
  if (answer.weights <= Bytes{0} || answer.cards.empty()) return answer;
  if (holding.empty()) {
    answer.placed = placed_on(answer, ask);
    return answer;
  }
  add_replicas(answer, ask, holding);
  add_splits(answer, ask, holding);
  return answer;
}

}  // namespace sx
