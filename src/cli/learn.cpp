// `sextant learn`: the engine's own memory lines against ours, kept for the next time.
#include <chrono>
#include <ctime>

#include "check/secrets.h"
#include "check/speak.h"
#include "cli/commands.h"
#include "cli/host_ask.h"
#include "cli/learn_answer.h"
#include "engines/engine.h"
#include "facts/need.h"
#include "gather/gather_case.h"
#include "gather/learned_store.h"
#include "logs/launch_words.h"
#include "read/log_decoder.h"
#include "sys/stream.h"

namespace sx {
namespace {

constexpr std::size_t kMostLogs = 64;

constexpr Text kNoLog{"no log was given: sextant learn LOG…", "没有给出日志：sextant learn 日志…"};
constexpr Text kManyLogs{"at most {most} logs are read at once", "一次最多读取 {most} 个日志"};
constexpr Text kNothing{
    "no memory lines of vLLM, SGLang or llama.cpp in {count} lines; a whole start-up log has them "
    "(llama-server prints them with -lv 4)",
    "{count} 行中没有 vLLM、SGLang 或 llama.cpp 的显存信息；完整的启动日志里才有（llama-server "
    "需加 "
    "-lv 4）"};
constexpr Text kNoLaunch{
    "the log does not say how the engine was started; give the launch after --",
    "日志里没有启动参数；可在 -- 之后给出启动命令"};
constexpr Text kOtherEngine{"the launch is of {launch}, the log of {log}",
                            "启动命令属于 {launch}，日志属于 {log}"};
constexpr Text kWhy{"{why}", "{why}"};
constexpr Text kNoKey{"the GPUs of the launch are not known; --on names the machine",
                      "启动所用的 GPU 未知；可用 --on 指定机器"};
constexpr Text kAsked{"--no-save was given", "给出了 --no-save"};
constexpr Text kNoNumbers{"the log has no number of a GPU's memory",
                          "日志里没有单张 GPU 的显存数字"};

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

struct ReadLogs {
  MemoryLog log;
  std::vector<std::string> damaged;  // names of packed logs that end too early
};

// To the end of each, however long: a server that ran for weeks may have started again yesterday.
Result<ReadLogs> read_logs(const std::vector<std::string>& names, std::string_view engine) {
  if (names.empty()) return fail(Error::Kind::Usage, in_both(kNoLog));
  if (names.size() > kMostLogs)
    return fail(Error::Kind::Usage, in_both({kManyLogs, {{"most", kMostLogs}}}));
  ReadLogs logs;
  MemoryLogReader reader(engine);
  for (const std::string& name : names) {
    LogDecoder decoder([&reader](std::string_view text) { reader.feed(text); });
    const auto read = read_stream(name, [&](std::string_view bytes) { decoder.feed(bytes); });
    if (!read) return std::unexpected(read.error());
    decoder.end();
    reader.end_file();
    if (decoder.damaged()) logs.damaged.push_back(name);
  }
  logs.log = reader.log();
  return logs;
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  constexpr std::size_t kRoom = 16;
  char text[kRoom];
  return std::string(text, std::strftime(text, kRoom, "%Y-%m-%d", &parts));
}

// The launch of the words after `--`, else of the log itself; null where neither tells.
std::unique_ptr<GatheredCases> launch_of(Learned& learned, const Arguments& arguments,
                                         const Outside& outside) {
  CommandAsk ask{.argv = arguments.launch,
                 .file = {},
                 .pid = {},
                 .engine_version = arguments.value("--engine-version"),
                 .without_learned = true};
  if (ask.argv.empty()) {
    LaunchWords words = launch_words(learned.log);
    ask.argv = std::move(words.words);
    learned.left_out = std::move(words.left_out);
    learned.from_log = true;
  }
  if (!ask.engine_version && learned.log.version) ask.engine_version = learned.log.version->text();
  learned.no_prediction = kNoLaunch;
  if (ask.argv.empty()) return nullptr;
  auto cases = gather_cases(ask, host_ask(arguments), outside);
  if (!cases) {
    learned.no_prediction = {kWhy, {{"why", cases.error().words()}}};
    return nullptr;
  }
  if ((*cases)->cases.size() != 1) return nullptr;
  return *std::move(cases);
}

void predict(Learned& learned, const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  const int tensor = layout ? layout->tensor : 1;
  const int ranks = layout ? layout->gpus_a_replica() : 1;
  std::optional<Budget> budget;
  if (engine == nullptr || !layout || !met(Need::MemoryBudget, c)) {
    learned.no_prediction = why_not(layout ? Need::MemoryBudget : Need::Layout, c);
  } else if (auto made = engine->budget(c, *layout)) {
    budget = *std::move(made);
    learned.no_prediction = {};
  } else {
    learned.no_prediction = made.error().why;
  }
  compare(learned, budget ? &*budget : nullptr, tensor, ranks);
}

void keep(Learned& learned, const Case* c, const Arguments& arguments, const Outside& outside) {
  LearnedRun run = run_of(learned);
  if (c != nullptr) run.key = learned_key(*c);
  if (arguments.has("--no-save")) {
    learned.not_stored = in_both(kAsked);
  } else if (c == nullptr) {
    learned.not_stored = in_both(learned.no_prediction);
  } else if (run.gpus.empty()) {
    learned.not_stored = in_both(kNoNumbers);
  } else if (run.key.empty()) {
    learned.not_stored = in_both(kNoKey);
  } else {
    run.model = c->serve.model.value();
    run.date = today();
    auto saved = save_learned(run, outside);
    if (saved) {
      learned.stored = *std::move(saved);
    } else {
      learned.not_stored = saved.error().words();
    }
  }
}

Learned learn(ReadLogs logs, const Arguments& arguments, const Outside& outside) {
  Learned learned{
      .log = std::move(logs.log), .names = arguments.words, .damaged = std::move(logs.damaged)};
  learned.engine = learned.log.engine;
  if (learned.log.version) learned.version = learned.log.version->text();
  const auto cases = launch_of(learned, arguments, outside);
  const Case* c = cases ? &cases->cases.front() : nullptr;
  if (c != nullptr) {
    learned.command = without_secrets(one_line(c->command), secrets_of(*c));
    if (c->serve.engine != learned.engine) {
      learned.no_prediction = {kOtherEngine,
                               {{"launch", c->serve.engine}, {"log", learned.engine}}};
      c = nullptr;
    }
  }
  if (c != nullptr) {
    learned.version = c->serve.version.text();
    predict(learned, *c);
  } else {
    compare(learned, nullptr, 1, 1);
  }
  keep(learned, c, arguments, outside);
  return learned;
}

}  // namespace

int learn_command(const Arguments& arguments, Session& session) {
  const Style style = decide_style({.colour = arguments.colour(), .language = arguments.language()},
                                   session.outside.environment);
  auto logs = read_logs(arguments.words, arguments.value("--engine").value_or(""));
  if (!logs) return could_not(logs.error(), session, style.language);
  const MemoryLog& log = logs->log;
  if (log.engine.empty() || log.readings.empty())
    return could_not({Error::Kind::Absent, in_both({kNothing, {{"count", log.lines}}})}, session,
                     style.language);
  const Learned learned = learn(*std::move(logs), arguments, session.outside);
  const bool json = arguments.value("--format").value_or("text") == "json";
  session.output.answer(json ? learn_json(learned) : learn_text(learned, style));
  return kDone;
}

}  // namespace sx
