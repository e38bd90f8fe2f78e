// Every rank has a pool of its own; the engine runs with the smallest number of blocks among them.
#include "engines/vllm/memory_pool.h"

#include <algorithm>
#include <numeric>

#include "fit/kv.h"

namespace sx {
namespace {

constexpr Text kLeftOutByPool{"left out by --kv-cache-memory-bytes",
                              "由 --kv-cache-memory-bytes 留出"};
constexpr Text kPinned{"of the pool, pinned by the requests that fit at once",
                       "取自 KV 缓存池，由可同时容纳的请求占住"};

Bytes sum_of(const GpuBudget& gpu) {
  Bytes sum;
  for (const BudgetLine& line : gpu.lines) sum += line.bytes;
  return sum;
}

// A pool of a given size: what is over stays unused; what does not fit is missing.
GpuBudget with_given_pool(GpuBudget gpu, Bytes pool) {
  const Bytes left = gpu.capacity - sum_of(gpu);
  BudgetLine unused{
      .name = "unused", .bytes = std::max(left - pool, Bytes{0}), .notes = {kLeftOutByPool}};
  unused.low = unused.high = unused.bytes;
  gpu.lines.push_back(unused);
  gpu = balanced(std::move(gpu));
  if (left < pool) {
    gpu.room = left - pool;
    gpu.kv_bytes = Bytes{0};
  }
  // The size is given: other lines being larger or smaller does not change it.
  gpu.room_low = gpu.room_high = gpu.room;
  return gpu;
}

// All but what differs from stage to stage.
PoolAsk common_ask(const PoolQuestion& q, Tokens length) {
  const VllmSettings& s = q.settings;
  PoolAsk ask;
  ask.tensor = q.layout.tensor;
  ask.element = s.kv_element;
  ask.block_size = s.block_size;
  ask.length = length;
  ask.batched_tokens = s.batched_tokens;
  ask.decode_context = std::max(1, q.layout.decode_context) * std::max(1, q.layout.prefill_context);
  ask.draft_tokens = s.draft_tokens;
  ask.state_checkpoints = s.state_checkpoints;
  ask.merged_count = vllm_does("kv-count-merged", s.version);
  ask.grouped = !s.v0 && vllm_does("kv-groups", s.version);
  ask.null_blocks = static_cast<int>(vllm_constant("kv-null-blocks", s.version).value);
  return ask;
}

// GPUs that differ in nothing that a pool depends on share their answer: one a stage and room.
struct Answer : Pools {
  const GpuBudget* gpu = nullptr;
  int first = 0, layers = 0;  // of its stage
};

bool same_room(const GpuBudget& a, const GpuBudget& b) {
  return a.room == b.room && a.room_low == b.room_low && a.room_high == b.room_high;
}

class Answers {
 public:
  Answers(const PoolQuestion& q, Tokens length, Tokens most)
      : q_(q), model_(pool_model(q.model)), ask_(common_ask(q, length)), most_(most) {
    int first = 0;
    for (const int layers : q.stages) {
      first_.push_back(first);
      first += layers;
    }
  }

  std::vector<Answer> of(const std::vector<GpuBudget>& gpus) {
    std::vector<Answer> answers;
    for (const GpuBudget& gpu : gpus) {
      const auto stage = static_cast<std::size_t>(gpu.stage);
      if (q_.stages[stage] == 0) continue;  // a stage without layers limits nothing
      const bool same = !answers.empty() && answers.back().gpu->stage == gpu.stage &&
                        same_room(*answers.back().gpu, gpu);
      if (same) continue;
      const int first = first_[stage], layers = q_.stages[stage];
      const auto alike = std::ranges::find_if(answers, [&](const Answer& other) {
        return other.layers == layers && same_room(*other.gpu, gpu) &&
               model_.alike(first, other.first, layers);
      });
      Answer answer{alike != answers.end() ? Pools{*alike} : pools_of(gpu, first, layers)};
      answer.gpu = &gpu;
      answer.first = first;
      answer.layers = layers;
      answers.push_back(std::move(answer));
    }
    return answers;
  }

 private:
  Pools pools_of(const GpuBudget& gpu, int first, int layers) {
    ask_.layers.resize(static_cast<std::size_t>(layers));
    std::iota(ask_.layers.begin(), ask_.layers.end(), first);
    ask_.room = gpu.kv_bytes;
    return pools(model_, ask_, std::max(gpu.room_low, Bytes{0}), std::max(gpu.room_high, Bytes{0}),
                 most_);
  }

  const PoolQuestion& q_;
  PoolModel model_;
  PoolAsk ask_;
  Tokens most_;
  std::vector<int> first_;  // layer of each stage
};

std::vector<Answer> answers_of(const PoolQuestion& q, const std::vector<GpuBudget>& gpus,
                               Tokens length, Tokens most) {
  return Answers(q, length, most).of(gpus);
}

double shortage(const Answer& answer) {
  const auto need =
      static_cast<double>(std::max<std::int64_t>(1, answer.best.request_tokens.count()));
  return static_cast<double>(answer.best.tokens.count()) / need;
}

// Marks what requests at once pin of a pool as state, and how much a token takes.
void describe(const PoolQuestion& q, std::vector<GpuBudget>& gpus,
              const std::vector<Answer>& answers, double at_once) {
  for (GpuBudget& gpu : gpus) {
    const auto of_stage =
        std::ranges::find(answers, gpu.stage, [](const Answer& one) { return one.gpu->stage; });
    if (of_stage == answers.end()) continue;  // a stage without layers
    const Pool& answer = of_stage->best;      // what is taken of it does not depend on a GPU's room
    gpu.bytes_per_token = answer.bytes_per_token;
    if (answer.one_state <= Bytes{0}) continue;
    const double requests = std::min(at_once, static_cast<double>(q.settings.max_num_seqs));
    const double pinned = static_cast<double>(answer.one_state.count()) * requests;
    const Bytes state{
        static_cast<std::int64_t>(std::min(pinned, static_cast<double>(gpu.kv_bytes.count())))};
    const auto line = std::ranges::find(gpu.lines, "kv_cache", &BudgetLine::name);
    if (line == gpu.lines.end()) continue;
    line->bytes = gpu.kv_bytes - state;
    line->low = std::min(line->low, line->bytes);
    line->high = std::max(line->high - state, line->bytes);
    gpu.lines.insert(
        line, {.name = "state", .bytes = state, .low = state, .high = state, .notes = {kPinned}});
  }
}

}  // namespace

GpuBudget with_pool(GpuBudget gpu, const BudgetLine& unused, const Fact<Bytes>& asked) {
  if (asked.known() && asked.value() > Bytes{0})
    return with_given_pool(std::move(gpu), asked.value());
  gpu.lines.push_back(unused);
  return balanced(std::move(gpu));
}

Budget pooled(const PoolQuestion& q, std::vector<GpuBudget> gpus) {
  Budget budget;
  Tokens length = q.settings.max_model_len;
  const Tokens most{std::max(q.most, length.count())};
  std::vector<Answer> answers = answers_of(q, gpus, length, most);
  const auto longest = std::ranges::min_element(answers, {}, &Answer::longest);
  budget.longest_possible = longest == answers.end() ? Tokens{} : longest->longest;
  if (q.settings.fill_the_pool && budget.longest_possible > Tokens{}) {
    length = std::min(length, budget.longest_possible);
    answers = answers_of(q, gpus, length, most);
  }
  budget.max_model_len = length;
  budget.max_model_len_asked = q.settings.max_model_len_asked;
  budget.max_num_seqs = q.settings.max_num_seqs;
  budget.max_batched_tokens = q.settings.batched_tokens;
  budget.memory_fraction = q.settings.memory_fraction;
  if (!answers.empty()) {
    const auto tokens_of = [&](Pool Answer::* pool) {
      const auto least = std::ranges::min_element(
          answers, {}, [pool](const Answer& a) { return (a.*pool).tokens; });
      return ((*least).*pool).tokens;
    };
    budget.kv_tokens = tokens_of(&Answer::best);
    budget.kv_tokens_low = tokens_of(&Answer::low);
    budget.kv_tokens_high = tokens_of(&Answer::high);
    budget.request_tokens = std::ranges::min_element(answers, {}, shortage)->best.request_tokens;
    budget.max_concurrency = std::ranges::min_element(answers, {}, [](const Answer& a) {
                               return a.best.requests;
                             })->best.requests;
  }
  describe(q, gpus, answers, budget.max_concurrency);
  budget.gpus = std::move(gpus);
  return budget;
}

}  // namespace sx
