// Contradictions are found here, so that the search is only asked what can be answered.
#include "cli/plan_ask.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "cli/host_ask.h"
#include "diag/listed.h"
#include "engines/plain_launch.h"
#include "knowledge/architectures.h"
#include "knowledge/models.h"

namespace sx {
namespace {

// A usual chat with some documents in it; what the answer rests on says so.
constexpr int kUsers = 16;
constexpr std::int64_t kInput = 2000, kOutput = 500;

// Larger numbers are slips of the keyboard; products of them must stay numbers.
constexpr std::int64_t kMostUsers = 1'000'000, kMostTokens = 100'000'000;

constexpr Text kNoModel{"no model was given: sextant plan MODEL",
                        "没有给出模型：sextant plan 模型"};
constexpr Text kSeveral{"plan takes one model ({words}); several only with --splits",
                        "plan 一次只接受一个模型（{words}）；只有 --splits 可以给多个"};
constexpr Text kNoNumber{"{flag}: '{said}' is not a whole number from {least} to {most}",
                         "{flag}：'{said}' 不是 {least} 到 {most} 之间的整数"};
constexpr Text kTooManyGpus{"--gpus {asked}: the machine has {have}",
                            "--gpus {asked}：机器只有 {have} 张 GPU"};
constexpr Text kTooLong{"--context {asked}: the longest context of {model} is {most} tokens",
                        "--context {asked}：{model} 的最长上下文是 {most} 个 token"};
constexpr Text kLoadTooLong{
    "--input {input} and --output {output} make {sum} tokens, more than --context {context}",
    "--input {input} 加 --output {output} 共 {sum} 个 token，超过 --context {context}"};
constexpr Text kLoadBeyondModel{
    "--input {input} and --output {output} make {sum} tokens; the longest context of {model} is "
    "{most}",
    "--input {input} 加 --output {output} 共 {sum} 个 token，而 {model} 的最长上下文是 {most}"};
constexpr Text kUnknownModel{"{model}: {why}", "{model}：{why}"};
constexpr Text kUnknownModelClosest{"{model}: {why}; closest: {closest}",
                                    "{model}：{why}；相近的有：{closest}"};
constexpr Text kNotFound{"not in the catalogue, and no local copy was found",
                         "内置数据里没有，本机也没有副本"};
constexpr Text kNoGpus{
    "the machine's GPUs are not known: --on names a machine, as in --on 4xL40S ({why})",
    "机器上的 GPU 未知：可用 --on 指定机器，如 --on 4xL40S（{why}）"};
constexpr Text kNoGpuThere{"the machine has no GPU; --on names another one",
                           "这台机器没有 GPU；可用 --on 指定其他机器"};
constexpr Text kNoModelOfText{
    "{model} generates no text; a pipeline that makes pictures is planned from its folder, the one "
    "with model_index.json",
    "{model} 不生成文本；生成图片的流水线要给出它的文件夹（含 model_index.json 的那个）才能规划"};
constexpr Text kGgufElsewhere{"{engine} does not plan for GGUF files: use --engine llamacpp",
                              "{engine} 不用于规划 GGUF 文件：用 --engine llamacpp"};
constexpr Text kNoGguf{"llama.cpp reads GGUF files, and {model} is not one",
                       "llama.cpp 读取 GGUF 文件，而 {model} 不是"};
constexpr Text kUnknownClass{
    "the class {name} is in no table: memory and speed are those of a plain decoder with the sizes "
    "of its config, and whether an engine has code for it is not known",
    "数据表里没有 {name} 这个类：显存和速度按 config 中尺寸的普通解码器估算；引擎是否支持它也未知"};
constexpr Text kWholeName{"{said} is read as {model}", "{said} 按 {model} 处理"};
constexpr Text kUsualUsers{"{users} users at a time (--users)", "{users} 个并发用户（--users）"};
constexpr Text kUsualInput{"prompts of {input} tokens (--input)",
                           "提示词 {input} 个 token（--input）"};
constexpr Text kUsualOutput{"answers of {output} tokens (--output)",
                            "回答 {output} 个 token（--output）"};

struct Range {
  std::int64_t least = 1, most = kMostTokens;
};

Result<std::optional<std::int64_t>> number_of(const Arguments& arguments, std::string_view flag,
                                              Range range) {
  const auto said = arguments.value(flag);
  if (!said) return std::optional<std::int64_t>{};
  const auto number = to_integer(*said);
  if (!number || *number < range.least || *number > range.most) {
    return fail(Error::Kind::Usage, in_both({kNoNumber,
                                             {{"flag", flag},
                                              {"said", said->substr(0, 40)},
                                              {"least", range.least},
                                              {"most", range.most}}}));
  }
  return std::optional<std::int64_t>(*number);
}

Goal goal_of(const Arguments& arguments) {
  const std::string goal = arguments.value("--goal").value_or("balanced");
  if (goal == "throughput") return Goal::Throughput;
  if (goal == "latency") return Goal::Latency;
  if (goal == "context") return Goal::Context;
  return goal == "safest" ? Goal::Safest : Goal::Balanced;
}

bool is_gguf(const Case& c) {
  return c.model().weight_format.value_or("") == "gguf" || lower(c.model().id).ends_with(".gguf");
}

Result<void> known_enough(const Case& c, const std::string& word) {
  const ModelSpec& model = c.model();
  if (model.from == ModelFrom::Nowhere) {
    const Both why = model.why_unknown.empty() ? in_both({kNotFound}) : in_both(model.why_unknown);
    if (model.closest_ids.empty())
      return fail(Error::Kind::Absent, in_both({kUnknownModel, {{"model", word}, {"why", why}}}));
    return fail(Error::Kind::Absent,
                in_both({kUnknownModelClosest,
                         {{"model", word}, {"why", why}, {"closest", listed(model.closest_ids)}}}));
  }
  if (!model.generates.value_or(true))
    return fail(Error::Kind::Unsupported, in_both({kNoModelOfText, {{"model", word}}}));
  const HostSpec& host = c.host();
  if (!host.gpu_count.known()) {
    const Message& why = host.gpu_count.why_unknown();
    constexpr Text kNobodySays{"nothing tells them", "没有信息说明"};
    return fail(Error::Kind::Absent,
                in_both({kNoGpus, {{"why", why.empty() ? in_both({kNobodySays}) : in_both(why)}}}));
  }
  if (host.gpus.empty()) return fail(Error::Kind::Absent, in_both({kNoGpuThere}));
  return {};
}

// A class that the tables lack may build layers of its own; its config tells sizes alone.
std::optional<Message> of_unknown_class(const Case& c) {
  const Fact<std::string>& name = c.model().architecture;
  if (is_gguf(c) || !name.known() || find_architecture(name.value())) return {};
  return Message{kUnknownClass, {{"name", name.value()}}};
}

// The load as asked; what nobody said is usual, and no longer than the context asked for.
Result<void> read_load(const Arguments& arguments, GatheredPlan& plan) {
  SX_TRY(const auto users, number_of(arguments, "--users", {1, kMostUsers}));
  SX_TRY(const auto input, number_of(arguments, "--input", {}));
  SX_TRY(const auto output, number_of(arguments, "--output", {}));
  SX_TRY(const auto context, number_of(arguments, "--context", {}));
  PlanAsk& ask = plan.ask;
  std::int64_t most = kMostTokens;
  if (const auto& longest = plan.first().model().max_positions; longest.known())
    most = longest.value().count();
  const std::string& model = plan.first().model().id;
  if (context && *context > most)
    return fail(
        Error::Kind::Usage,
        in_both({kTooLong, {{"asked", *context}, {"model", model}, {"most", Tokens{most}}}}));
  const std::int64_t limit = std::min(most, context.value_or(most));
  const std::int64_t out = output.value_or(std::min(kOutput, std::max<std::int64_t>(1, limit / 5)));
  const std::int64_t in = input.value_or(std::min(kInput, std::max<std::int64_t>(1, limit - out)));
  if (in + out > limit) {
    const std::vector<Argument> sizes{{"input", in},      {"output", out},  {"sum", in + out},
                                      {"context", limit}, {"model", model}, {"most", Tokens{most}}};
    return fail(Error::Kind::Usage, in_both({context ? kLoadTooLong : kLoadBeyondModel, sizes}));
  }
  ask.load = {.users = static_cast<int>(users.value_or(kUsers)),
              .input = Tokens{in},
              .output = Tokens{out}};
  ask.context = Tokens{context.value_or(0)};
  if (!users) plan.assumed.push_back({kUsualUsers, {{"users", ask.load.users}}});
  if (!input) plan.assumed.push_back({kUsualInput, {{"input", Tokens{in}}}});
  if (!output) plan.assumed.push_back({kUsualOutput, {{"output", Tokens{out}}}});
  return {};
}

// The last part of a hub id is no name that a hub knows: the commands need the whole one.
std::string whole_name(const Case& c, const std::string& said) {
  if (c.model().from != ModelFrom::Catalogue || said.contains('/')) return said;
  const ModelMatch match = match_model(said);
  return match.row ? std::string(match.row->id()) : said;
}

// Those asked for; else the one that the model's files are for.
Result<std::vector<std::string>> engines_of(const Arguments& arguments, const Case& first,
                                            const std::string& model) {
  const bool gguf = is_gguf(first);
  const auto asked = arguments.value("--engine");
  if (!asked) return std::vector<std::string>{gguf ? "llamacpp" : "vllm"};
  if (*asked == "any") {
    if (gguf) return std::vector<std::string>{"llamacpp"};
    return std::vector<std::string>{"vllm", "sglang"};
  }
  if (gguf && *asked != "llamacpp")
    return fail(Error::Kind::Usage, in_both({kGgufElsewhere, {{"engine", *asked}}}));
  if (!gguf && *asked == "llamacpp")
    return fail(Error::Kind::Usage, in_both({kNoGguf, {{"model", model}}}));
  return std::vector<std::string>{*asked};
}

}  // namespace

Result<std::unique_ptr<GatheredCases>> bare_launch(const Arguments& arguments,
                                                   std::string_view engine,
                                                   const std::string& model,
                                                   const Outside& outside) {
  return gather_cases({.argv = plain_launch(engine, model),
                       .file = {},
                       .pid = {},
                       .engine_version = arguments.value("--engine-version"),
                       .without_learned = arguments.has("--no-learned")},
                      host_ask(arguments), outside);
}

Result<std::unique_ptr<GatheredPlan>> gather_plan(const Arguments& arguments,
                                                  const Session& session) {
  if (arguments.words.empty()) return fail(Error::Kind::Usage, in_both({kNoModel}));
  if (arguments.words.size() > 1)
    return fail(Error::Kind::Usage, in_both({kSeveral, {{"words", join(arguments.words, " ")}}}));
  const std::string& said = arguments.words.front();
  auto plan = std::make_unique<GatheredPlan>();
  Outside outside = session.outside;
  if (arguments.has("--online")) {
    SX_TRY(plan->http, open_http());
    outside.http = plan->http.get();
  }
  const std::string asked = arguments.value("--engine").value_or("vllm");
  const std::string opening = asked == "any" ? "vllm" : asked;
  SX_TRY(auto first, bare_launch(arguments, opening, said, outside));
  if (auto enough = known_enough(first->cases.front(), said); !enough)
    return std::unexpected(std::move(enough).error());
  const std::string model = whole_name(first->cases.front(), said);
  if (model != said) {
    plan->assumed.push_back({kWholeName, {{"said", said}, {"model", model}}});
    SX_TRY(first, bare_launch(arguments, opening, model, outside));
  }
  SX_TRY(const auto engines, engines_of(arguments, first->cases.front(), model));
  for (const std::string& engine : engines) {
    if (engine == opening) {
      plan->engines.push_back(std::move(first));
      continue;
    }
    SX_TRY(auto other, bare_launch(arguments, engine, model, outside));
    plan->engines.push_back(std::move(other));
  }
  for (const auto& engine : plan->engines) plan->ask.launches.push_back(&engine->cases.front());
  const int have = static_cast<int>(plan->first().host().gpus.size());
  SX_TRY(const auto gpus, number_of(arguments, "--gpus", {}));
  if (gpus && *gpus > have)
    return fail(Error::Kind::Usage, in_both({kTooManyGpus, {{"asked", *gpus}, {"have", have}}}));
  if (auto unknown = of_unknown_class(plan->first())) plan->assumed.push_back(*std::move(unknown));
  plan->ask.gpus = static_cast<int>(gpus.value_or(0));
  plan->ask.goal = goal_of(arguments);
  plan->ask.fp8_cache = arguments.value("--kv-dtype").value_or("auto") == "fp8";
  plan->ask.all = arguments.has("--all");
  if (auto read = read_load(arguments, *plan); !read)
    return std::unexpected(std::move(read).error());
  return plan;
}

}  // namespace sx
