// Settings of a model: what runs, planned or as a command.
#include <algorithm>

#include "run/deployment_keys.h"

namespace sx {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 40U;
constexpr std::int64_t kMostGpu = 255;

SettingKey text_key(std::string_view key, Text means, std::string ModelSettings::* member,
                    std::vector<std::string_view> choices = {}, Text without = {}) {
  return {{.key = key,
           .takes = "text",
           .means = means,
           .otherwise = "",
           .without = without,
           .choices = std::move(choices)},
          [member](const SettingTarget& to) { return put_text(to, to.model.*member); }};
}

SettingKey amount_key(std::string_view key, Text means,
                      std::optional<std::int64_t> ModelSettings::* member, std::int64_t most) {
  return {
      {.key = key, .takes = "number", .means = means, .otherwise = "", .least = 1, .most = most},
      [member](const SettingTarget& to) {
        std::int64_t number = 0;
        const bool good = put_number(to, number);
        if (good) to.model.*member = number;
        return good;
      }};
}

SettingKey words_key(std::string_view key, Text means,
                     std::vector<std::string> ModelSettings::* member) {
  return {{.key = key, .takes = "words", .means = means, .otherwise = ""},
          [member](const SettingTarget& to) { return put_words(to, to.model.*member); }};
}

bool put_weights(const SettingTarget& to, std::vector<int>& into) {
  std::vector<std::int64_t> numbers(1);
  const bool one = to.value.kind == TomlValue::Kind::Integer;
  if (one ? !put_number(to, numbers.front()) : !put_numbers(to, numbers)) return false;
  into.assign(numbers.begin(), numbers.end());
  return true;
}

// Which engine, and where it comes from.
void add_engine_keys(std::vector<SettingKey>& made) {
  made.push_back(text_key("model.engine", {"which engine the plan may use", "方案可用的引擎"},
                          &ModelSettings::engine, {"vllm", "sglang", "llamacpp", "any"}));
  made.push_back(text_key("model.version",
                          {"the engine's version, where it cannot be found out: 0.11.0",
                           "引擎版本，仅在无法自动得知时填写：0.11.0"},
                          &ModelSettings::version));
  made.push_back(text_key("model.venv",
                          {"a Python environment that holds the engine: /opt/vllm",
                           "装有引擎的 Python 环境：/opt/vllm"},
                          &ModelSettings::venv, {}, {"what PATH finds", "PATH 中找到的"}));
  made.push_back({{.key = "model.gpus",
                   .takes = "numbers",
                   .means = {"GPUs it may use: [0, 1]", "可用的 GPU：[0, 1]"},
                   .otherwise = "",
                   .without = {"all", "全部"},
                   .least = 0,
                   .most = kMostGpu},
                  [](const SettingTarget& to) {
                    std::vector<std::int64_t> numbers;
                    if (!put_numbers(to, numbers)) return false;
                    to.model.gpus.clear();
                    for (const std::int64_t gpu : numbers)
                      to.model.gpus.push_back(static_cast<int>(gpu));
                    return true;
                  }});
  made.push_back({{.key = "model.environment",
                   .takes = "table",
                   .means = {"variables of the engine", "引擎的环境变量"},
                   .otherwise = "",
                   .without = {"what is passed on", "传入的变量"}},
                  [](const SettingTarget& to) {
                    const auto plain = [](const TomlValue::Entry& entry) {
                      return entry.key.find('=') == std::string::npos;
                    };
                    return std::ranges::all_of(to.value.entries, plain) &&
                           put_table(to, to.model.environment);
                  }});
}

}  // namespace

void add_model_keys(std::vector<SettingKey>& made) {
  made.push_back(
      text_key("model.id", {"a model to plan for", "要制定方案的模型"}, &ModelSettings::id));
  made.push_back(words_key("model.command",
                           {"a launch in place of a plan; {model}, {host}, {port}, {gpus} and "
                            "{replica} stand for what a replica is given",
                            "直接给出的启动命令；其中 {model}、{host}、{port}、{gpus}、{replica} "
                            "代表副本得到的值"},
                           &ModelSettings::command));
  made.push_back({{.key = "model.replicas",
                   .takes = "number",
                   .means = {"so many of the command", "同一命令的副本数"},
                   .otherwise = "1",
                   .least = 1,
                   .most = 64},
                  [](const SettingTarget& to) {
                    std::int64_t number = 0;
                    const bool good = put_number(to, number);
                    if (good) to.model.replicas = static_cast<int>(number);
                    return good;
                  }});
  made.push_back(
      {{.key = "model.weight",
        .takes = "each",
        .means = {"their share of the gateway's work beside that of other replicas of "
                  "the same model: 3, or one for each: [3, 1]",
                  "与同一模型的其他副本相比分到的请求份额：3，或每个副本各写一个：[3, 1]"},
        .otherwise = "1",
        .least = 1,
        .most = kMostReplicaWeight},
       [](const SettingTarget& to) { return put_weights(to, to.model.weights); }});
  made.push_back(
      text_key("model.layout",
               {"which layout of the plan: TP2 x PP3, B", "用方案里的哪个布局：TP2 x PP3、B"},
               &ModelSettings::layout));
  made.push_back(
      words_key("model.fallback",
                {"layouts of the plan that stand in for it, in order: [\"TP2\", \"TP1\"]",
                 "它不可用时依次顶替的布局：[\"TP2\", \"TP1\"]"},
                &ModelSettings::fallback));
  made.push_back(amount_key("model.users",
                            {"requests at a time to plan for", "方案按多少并发请求制定"},
                            &ModelSettings::users, 1'000'000));
  made.push_back(amount_key("model.context",
                            {"tokens of a request to plan for", "方案按多长的请求制定（token）"},
                            &ModelSettings::context, kMostTokens));
  made.push_back(text_key("model.goal", {"what the plan is to be good at", "方案的目标"},
                          &ModelSettings::goal,
                          {"balanced", "throughput", "latency", "context", "safest"}));
  add_engine_keys(made);
}

}  // namespace sx
