// Enumerates layouts over the GPUs of a case and words the good ones as fixes.
#include "check/layouts.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "check/memory_verdict.h"
#include "check/speak.h"
#include "facts/container_changes.h"

namespace sx {
namespace {

constexpr int kMostGpus = 64;  // one host; bounds the enumeration
constexpr int kWeakLinkTensor =
    2;  // without NVLink, wider tensor groups pay more for traffic than they gain

constexpr Text kStages{
    "{tensor} GPUs a stage, {stages} stages (fits: {tokens} tokens of KV cache)",
    "每个流水级 {tensor} 张 GPU，共 {stages} 级（放得下：KV 缓存可容 {tokens} 个 token）"};
constexpr Text kSingleStages{
    "one GPU a stage, {stages} stages (fits: {tokens} tokens of KV cache)",
    "每个流水级一张 GPU，共 {stages} 级（放得下：KV 缓存可容 {tokens} 个 token）"};
constexpr Text kTensor{
    "use {tensor} GPUs a replica (sizes that split here: {sizes}; fits: {tokens} tokens of KV "
    "cache)",
    "每个副本用 {tensor} 张 GPU（这里能切分的取值：{sizes}；放得下：KV 缓存可容 {tokens} 个 "
    "token）"};
constexpr Text kOne{
    "use one GPU a replica (sizes that split here: {sizes}; fits: {tokens} tokens of KV cache)",
    "每个副本用一张 GPU（这里能切分的取值：{sizes}；放得下：KV 缓存可容 {tokens} 个 token）"};
constexpr Text kTensorOnly{"use {tensor} GPUs a replica (sizes that split here: {sizes})",
                           "每个副本用 {tensor} 张 GPU（这里能切分的取值：{sizes}）"};
constexpr Text kStagesOnly{"{tensor} GPUs a stage, {stages} stages",
                           "每个流水级 {tensor} 张 GPU，共 {stages} 级"};
constexpr Text kSingleStagesOnly{"one GPU a stage, {stages} stages",
                                 "每个流水级一张 GPU，共 {stages} 级"};
constexpr Text kOneOnly{"use one GPU a replica (sizes that split here: {sizes})",
                        "每个副本用一张 GPU（这里能切分的取值：{sizes}）"};
constexpr Text kShorter{"{layout} with a context of at most {length} tokens",
                        "{layout}，上下文最多 {length} 个 token"};
constexpr Text kSibling{
    "the same model in fewer bits: {id} ({layout}; {tokens} tokens of KV cache)",
    "同一模型的低比特版本：{id}（{layout}；KV 缓存可容 {tokens} 个 token）"};
constexpr Text kMoreCards{
    "add GPUs: {count} of this kind would do, as {layout}; nothing fits the ones there are",
    "增加 GPU：{count} 张同样的 GPU 可以用 {layout}；现有的 GPU 放不下任何布局"};
constexpr Text kNothing{"take fewer bits a weight or larger cards: nothing fits these GPUs",
                        "改用更低比特的权重或显存更大的卡：这些 GPU 放不下任何布局"};

constexpr Text kNoNumber{
    "take fewer bits a weight or larger cards: nothing fits, however many GPUs of this kind up to "
    "{most}",
    "改用更低比特的权重或显存更大的卡：这种 GPU 最多用到 {most} 张，也放不下任何布局"};

// Small counts read better as words.
Value number_word(int n) {
  switch (n) {
    case 2:
      return Text{"two", "2"};
    case 3:
      return Text{"three", "3"};
    case 4:
      return Text{"four", "4"};
    case 5:
      return Text{"five", "5"};
    case 6:
      return Text{"six", "6"};
    case 7:
      return Text{"seven", "7"};
    case 8:
      return Text{"eight", "8"};
    default:
      return std::int64_t{n};
  }
}

Argument counted(std::string_view name, int n) {
  Argument argument(name, n);
  argument.value = number_word(n);
  return argument;
}

bool fast_links(const Case& c) {
  const HostSpec& host = c.host();
  if (host.links.known()) {
    for (const auto& row : host.links.classes) {
      for (const auto& cell : row) {
        if (cell != "X" && !cell.starts_with("NV")) return false;
      }
    }
    return true;
  }
  return std::ranges::all_of(host.gpus, [](const Gpu& gpu) { return gpu.nvlink.value_or(false); });
}

bool pipeline_possible(const Case& c) {
  if (!c.model().architecture.known()) return true;
  const Engine* engine = find_engine(c.serve.engine);
  return engine == nullptr || engine->pipeline_supported(c).value_or(true);
}

bool room_for_one_request(const Case& c, const Budget& budget) {
  const bool any_length = starts_below_context(c.serve) && !c.serve.max_model_len.asked() &&
                          budget.kv_tokens > Tokens{0};
  return budget.tightest().room > Bytes{0} && (any_length || budget.max_concurrency >= 1);
}

// GPUs that one replica was meant to have; sizes that make no sense ask for all there are.
int asked_gpus(const Case& c) { return std::max(1, c.serve.world_size().value_or(kMostGpus)); }

// Replicas that were asked for; one where they make no sense.
int asked_replicas(const Case& c) {
  const int replicas = c.serve.data_parallel.value_or(1);
  return replicas >= 1 && replicas <= kMostGpus ? replicas : 1;
}

// Smaller is better. Who asked for stages on weak links has them first.
auto rank(const Case& c, const LayoutChoice& choice, bool fast) {
  const Layout& layout = choice.layout;
  const int good_tensor = fast || layout.pipeline == 1 ? kMostGpus : kWeakLinkTensor;
  const int excess = std::max(0, layout.tensor - good_tensor);
  const bool single = layout.pipeline == 1;
  const std::int64_t missing =
      choice.budget && !choice.fits ? -choice.budget->tightest().room.count() : 0;
  const bool more_than_asked = single && layout.tensor > asked_gpus(c);
  const bool stages_wanted = !fast && c.serve.pipeline_parallel.value_or(1) > 1;
  const bool fewer_replicas = layout.data < asked_replicas(c);
  return std::tuple(!choice.fits, missing, fewer_replicas, !single && !stages_wanted,
                    single && more_than_asked, single ? 0 : -layout.gpus(), excess, -layout.tensor,
                    layout.pipeline);
}

void add_choice(std::vector<LayoutChoice>& choices, const Engine& engine, const Case& c,
                const Layout& layout) {
  if (!split_problems(c.model(), engine.split_ask(c, layout)).empty()) return;
  LayoutChoice choice{.layout = layout, .budget = {}, .fits = true};
  if (met(Need::MemoryBudget, c)) {
    if (auto budget = engine.budget(c, layout)) {
      choice.fits = room_for_one_request(c, *budget);
      choice.budget = std::move(*budget);
    }
  }
  choices.push_back(std::move(choice));
}

std::string sizes_text(const Case& c, const Engine& engine, int most) {
  return join(tensor_sizes(c.model(), engine.split_ask(c, Layout{}), most));
}

Message title_of(const LayoutChoice& choice, const std::string& sizes) {
  const Layout& layout = choice.layout;
  const auto tensor = counted("tensor", layout.tensor);
  const auto stages = counted("stages", layout.pipeline);
  if (!choice.budget) {
    if (layout.pipeline > 1)
      return {layout.tensor > 1 ? kStagesOnly : kSingleStagesOnly, {tensor, stages}};
    if (layout.tensor == 1) return {kOneOnly, {{"sizes", sizes}}};
    return {kTensorOnly, {{"tensor", layout.tensor}, {"sizes", sizes}}};
  }
  const Argument tokens("tokens", choice.budget->kv_tokens);
  if (layout.pipeline > 1 && layout.tensor > 1) return {kStages, {tensor, stages, tokens}};
  if (layout.pipeline > 1) return {kSingleStages, {stages, tokens}};
  if (layout.tensor == 1) return {kOne, {{"sizes", sizes}, tokens}};
  return {kTensor, {{"tensor", layout.tensor}, {"sizes", sizes}, tokens}};
}

// With no more room than a choice of higher rank: nobody who has the GPUs wants it.
bool outdone(const LayoutChoice& choice, const LayoutChoice& better) {
  constexpr double kNoticed = 1.05;  // estimates of room are not closer than that
  // The title of the larger size names the smaller ones.
  if (choice.layout.pipeline == 1 && better.layout.pipeline == 1)
    return choice.layout.tensor < better.layout.tensor;
  if (!choice.budget || !better.budget) return choice.layout.gpus() <= better.layout.gpus();
  const auto room = [](const LayoutChoice& of) {
    return static_cast<double>(of.budget->kv_tokens.count());
  };
  return room(choice) <= kNoticed * room(better);
}

bool outdone_by_any(const LayoutChoice& choice, const std::vector<const LayoutChoice*>& kept) {
  return std::ranges::any_of(
      kept, [&choice](const LayoutChoice* better) { return outdone(choice, *better); });
}

// Those that take exactly so many GPUs, with the replicas asked for or with one.
void add_choices_over(std::vector<LayoutChoice>& choices, const Case& c, int gpus) {
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr) return;
  const bool stages = pipeline_possible(c);
  // Groups that split requests are equal parts of a tensor group.
  const int groups = std::max(1, c.serve.attention_data_parallel.value_or(1));
  const std::set<int> replicas{1, asked_replicas(c)};
  for (const int data : replicas) {
    if (gpus % data != 0) continue;
    const int each = gpus / data;
    for (int tensor = 1; tensor <= each; ++tensor) {
      if (each % tensor != 0 || (!stages && tensor != each) || tensor % groups != 0) continue;
      Layout layout;
      layout.tensor = tensor;
      layout.pipeline = each / tensor;
      layout.data = data;
      layout.expert = c.serve.expert_parallel.value_or(false);
      add_choice(choices, *engine, c, layout);
    }
  }
}

void sort_best_first(std::vector<LayoutChoice>& choices, const Case& c) {
  const bool fast = fast_links(c);
  std::ranges::sort(choices, {}, [&](const LayoutChoice& choice) { return rank(c, choice, fast); });
}

// A machine of `count` cards like the first one of the case's.
// So many cards at least, as their memory together must hold the weights once.
int least_cards(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr) return 1;
  const auto whole = engine->budget(c, Layout{});
  if (!whole || whole->gpus.empty()) return 1;
  const GpuBudget& gpu = whole->gpus.front();
  const BudgetLine* weights = gpu.line("weights");
  if (weights == nullptr || gpu.capacity <= Bytes{0}) return 1;
  return static_cast<int>(
      std::min<std::int64_t>(kMostGpus, weights->low.count() / gpu.capacity.count() + 1));
}

HostSpec grown(const HostSpec& host, int count) {
  HostSpec bigger = host;
  bigger.gpus.assign(static_cast<std::size_t>(count), host.gpus.front());
  for (int i = 0; i < count; ++i) bigger.gpus[static_cast<std::size_t>(i)].index = i;
  bigger.gpu_count = Fact<int>(count, Origin::Assumed);
  bigger.links = {};
  return bigger;
}

}  // namespace

std::vector<Change> changes_to(const Case& c, const Layout& layout) {
  std::vector<Change> changes;
  const auto set = [&](const char* flag, int wanted, const Fact<int>& now) {
    if (now.known() && now.value() == wanted) return;
    changes.push_back(wanted == 1 ? remove_flag(flag) : set_flag(flag, std::to_string(wanted)));
  };
  set("--tensor-parallel-size", layout.tensor, c.serve.tensor_parallel);
  set("--pipeline-parallel-size", layout.pipeline, c.serve.pipeline_parallel);
  set("--data-parallel-size", layout.data, c.serve.data_parallel);
  if (c.serve.partition.known() &&
      static_cast<int>(c.serve.partition.value().layers.size()) != layout.pipeline) {
    changes.push_back(remove_environment(own_flag(c.serve, "VLLM_PP_LAYER_PARTITION")));
  }
  if (layout.tensor * layout.pipeline > 1)
    std::ranges::move(shared_memory_for_ranks(c), std::back_inserter(changes));
  return changes;
}

std::vector<LayoutChoice> layout_choices(const Case& c) {
  if (!c.visible.known) return {};
  std::vector<LayoutChoice> choices;
  const int gpus = std::min(static_cast<int>(c.visible.gpus.size()), kMostGpus);
  for (int count = 1; count <= gpus; ++count) add_choices_over(choices, c, count);
  sort_best_first(choices, c);
  return choices;
}

std::string tensor_sizes_here(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr) return {};
  const int most = c.visible.known ? static_cast<int>(c.visible.gpus.size()) : 8;
  return sizes_text(c, *engine, std::clamp(most, 1, kMostGpus));
}

std::vector<Proposal> layout_proposals(const Case& c, std::size_t most) {
  std::vector<Proposal> proposals;
  const std::string sizes = tensor_sizes_here(c);
  const auto choices = layout_choices(c);
  std::vector<const LayoutChoice*> kept;
  for (const LayoutChoice& choice : choices) {
    if (!choice.fits || proposals.size() == most) break;
    const bool spare = outdone_by_any(choice, kept);
    proposals.push_back({.title = title_of(choice, sizes),
                         .changes = changes_to(c, choice.layout),
                         .spare = spare});
    if (!spare) kept.push_back(&choice);
  }
  constexpr Tokens kShortest{1024};  // a shorter context helps nobody
  struct Short {
    const Layout* layout;
    Tokens longest;
  };
  std::vector<Short> short_ones;
  for (const LayoutChoice& choice : choices) {
    if (choice.fits || !choice.budget || choice.budget->longest_possible < kShortest) continue;
    short_ones.push_back({&choice.layout, choice.budget->longest_possible});
  }
  std::ranges::sort(short_ones, {}, [](const Short& choice) {
    // Contexts of about the same length: the simpler layout first.
    const auto length = static_cast<std::uint64_t>(choice.longest.count());
    return std::tuple(-std::bit_width(length), choice.layout->pipeline, -choice.longest.count());
  });
  for (const Short& choice : short_ones) {
    if (proposals.size() >= most) break;
    // Rounded down to a whole kilotoken: estimates are not exact to the token.
    const std::int64_t length = choice.longest.count() / 1024 * 1024;
    auto changes = changes_to(c, *choice.layout);
    changes.push_back(set_flag("--max-model-len", std::to_string(length)));
    proposals.push_back(
        {{kShorter, {{"layout", choice.layout->label()}, {"length", Tokens{length}}}},
         std::move(changes),
         Safety::Trades});
  }
  return proposals;
}

std::vector<Proposal> sibling_proposals(const Case& c, std::size_t most) {
  std::vector<Proposal> proposals;
  if (!c.find_model) return proposals;
  for (const std::string& id : c.model().siblings) {
    if (proposals.size() == most) break;
    const ModelSpec* model = c.find_model(id);
    if (model == nullptr) continue;
    Case other = c;
    other.model_spec = model;
    const auto choices = layout_choices(other);
    if (choices.empty()) continue;
    const LayoutChoice& best = choices.front();
    if (!best.fits || !best.budget) continue;
    auto changes = changes_to(c, best.layout);
    changes.insert(changes.begin(), set_model(id));
    proposals.push_back(
        {{kSibling,
          {{"id", id}, {"layout", best.layout.label()}, {"tokens", best.budget->kv_tokens}}},
         std::move(changes),
         Safety::Trades});
  }
  return proposals;
}

Message what_would_fit(const Case& c) {
  if (!met(Need::MemoryBudget, c) || !c.host().uniform()) return {kNothing};
  const int here = static_cast<int>(c.host().gpus.size());
  for (int count = std::max(here + 1, least_cards(c)); count <= kMostGpus; ++count) {
    if (count > 2 && count % 2 == 1) continue;  // cards come in pairs
    const HostSpec bigger = grown(c.host(), count);
    Case other = c;
    other.host_spec = &bigger;
    other.visible = {};
    other.visible.known = true;
    for (int i = 0; i < count; ++i) other.visible.gpus.push_back(i);
    std::vector<LayoutChoice> choices;
    add_choices_over(choices, other, count);
    sort_best_first(choices, other);
    if (choices.empty() || !choices.front().fits) continue;
    return {kMoreCards, {{"count", count}, {"layout", choices.front().layout.label()}}};
  }
  return {kNoNumber, {{"most", kMostGpus}}};
}

}  // namespace sx
