// `status`, `logs`, `restart`, `drain`, `down`: questions to the daemon of a deployment.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/strings.h"
#include "cli/daemon_gone.h"
#include "cli/daemon_talk.h"
#include "cli/progress.h"
#include "run/json_fields.h"
#include "run/left_behind.h"
#include "sys/files.h"
#include "sys/growing_file.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDownTime{180'000};  // drain, grace and slack of the slowest replica
constexpr milliseconds kLook{100};
constexpr std::int64_t kMostNumber = 1'000'000'000;  // of a replica; each reload goes on counting

constexpr Text kStopped{"{name} is down", "{name} 已停止"};
constexpr Text kStillThere{
    "{name} has not ended yet; `sextant status{flag}` says what it waits for",
    "{name} 尚未结束；它在等什么见 `sextant status{flag}`"};
constexpr Text kWhich{"which replica? {numbers}", "哪个副本？可用编号：{numbers}"};
constexpr Text kNoneToName{"which replica? {name} has none now", "哪个副本？{name} 现在没有副本"};
constexpr Text kNoLog{"replica {number} has printed nothing here", "这里没有副本 {number} 的输出"};

struct Asked {
  std::string name;
  StateFolder folder;
  Language language = Language::English;
};

Result<Asked> asked_of(const Arguments& arguments, const Session& session) {
  Asked asked{.name = deployment_name(arguments),
              .folder = {},
              .language = decide_language(arguments.language(), session.outside.environment)};
  SX_TRY(asked.folder, state_folder(session.outside.environment, asked.name));
  return asked;
}

int said(const Message& message, int code, Session& session, Language language) {
  session.output.trouble(trouble_line(rendered(message, language), language));
  return code;
}

int could_not(const Error& error, const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

// Nobody answers: there never was one, or it is not up. One that is there and does not answer is
// another matter.
int nobody(const Asked& asked, const Result<DaemonAnswer>& answer, const Arguments& arguments,
           Session& session) {
  if (!none_runs(answer)) return could_not(answer.error(), arguments, session);
  const Nobody told = nobody_there(asked.folder, session.outside.environment, asked.name);
  return said(told.message, told.exit_code, session, asked.language);
}

// Numbers have gaps where a reload has replaced replicas.
std::vector<std::int64_t> numbers_in(const boost::json::object& status) {
  std::vector<std::int64_t> numbers;
  const auto* replicas = status.if_contains("replicas");
  if (replicas == nullptr || !replicas->is_array()) return numbers;
  for (const auto& replica : replicas->get_array()) {
    const auto* number =
        replica.is_object() ? replica.get_object().if_contains("replica") : nullptr;
    if (number != nullptr && number->is_int64()) numbers.push_back(number->get_int64());
  }
  return numbers;
}

// Where nobody answers: those that have left something in the folder.
std::vector<std::int64_t> numbers_in(const StateFolder& folder) {
  std::vector<std::int64_t> numbers;
  const auto names = real_files().list(folder.replicas());
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (const auto number = to_integer(name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

int ask_which(const std::vector<std::int64_t>& numbers, const Asked& asked, Session& session) {
  const Language language = asked.language;
  if (numbers.empty())
    return said({kNoneToName, {{"name", asked.name}}}, kCouldNot, session, language);
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  const std::string all = join(words, language == Language::Chinese ? "、" : ", ");
  return said({kWhich, {{"numbers", all}}}, kCouldNot, session, language);
}

// Nothing: the daemon left nothing behind.
std::optional<GoneDaemon> daemon_gone(const Asked& asked) {
  GoneDaemon gone{.name = asked.name, .address = "", .there = still_there(asked.folder)};
  if (gone.there.empty()) return std::nullopt;
  const auto text = real_files().read(asked.folder.deployment(), mib(16));
  if (text) {
    if (const auto read = read_deployment(*text)) gone.address = address_of(*read);
  }
  return gone;
}

int replica_command(const Arguments& arguments, Session& session, const std::string& verb) {
  const auto asked = asked_of(arguments, session);
  if (!asked) return could_not(asked.error(), arguments, session);
  const auto status = ask_daemon(asked->folder, "GET", "/v1/status");
  if (!status) return nobody(*asked, status, arguments, session);
  const auto numbers = numbers_in(status->body);
  const auto number = to_integer(arguments.words.empty() ? "" : arguments.words.front());
  if (!number || std::ranges::find(numbers, *number) == numbers.end())
    return ask_which(numbers, *asked, session);
  const auto answer =
      ask_daemon(asked->folder, "POST", "/v1/replicas/" + std::to_string(*number) + '/' + verb);
  if (!answer) return could_not(answer.error(), arguments, session);
  session.output.answer(status_page(answer->body, asked->language));
  if (const auto* restart = answer->body.if_contains("restart");
      restart != nullptr && restart->is_object())
    session.output.answer(text_in(restart->get_object(),
                                  asked->language == Language::English ? "message" : "message_zh") +
                          '\n');
  return kDone;
}

}  // namespace

int status_command(const Arguments& arguments, Session& session) {
  const auto asked = asked_of(arguments, session);
  if (!asked) return could_not(asked.error(), arguments, session);
  const auto answer = ask_daemon(asked->folder, "GET", "/v1/status");
  if (none_runs(answer)) {
    if (auto gone = daemon_gone(*asked)) {
      session.output.answer(arguments.value("--format") == "json"
                                ? gone_json(*gone)
                                : gone_page(*gone, asked->language));
      return kNotServing;
    }
  }
  if (!answer) return nobody(*asked, answer, arguments, session);
  const std::string state = state_of(answer->body);
  session.output.answer(arguments.value("--format") == "json"
                            ? boost::json::serialize(answer->body) + '\n'
                            : status_page(answer->body, asked->language));
  return state == "serving" || state == "degraded" ? kDone : kNotServing;
}

int restart_command(const Arguments& arguments, Session& session) {
  return replica_command(arguments, session, "restart");
}

int drain_command(const Arguments& arguments, Session& session) {
  return replica_command(arguments, session, "drain");
}

int down_command(const Arguments& arguments, Session& session) {
  const auto asked = asked_of(arguments, session);
  if (!asked) return could_not(asked.error(), arguments, session);
  const auto told = ask_daemon(asked->folder, "POST", "/v1/down");
  if (!told) {
    // A daemon that was killed leaves its engines at work. Whoever has the lock may end them.
    const bool known = none_runs(told) && real_files().info(asked->folder.path);
    const auto lock =
        known ? take_state_folder(asked->folder) : Result<UniqueFd>(std::unexpected(told.error()));
    if (!lock || !end_all_left_behind(asked->folder.path))
      return nobody(*asked, told, arguments, session);
    session.output.answer(rendered({kStopped, {{"name", asked->name}}}, asked->language) + '\n');
    return kDone;
  }
  const auto until = std::chrono::steady_clock::now() + kDownTime;
  while (std::chrono::steady_clock::now() < until) {
    const bool silent = none_runs(ask_daemon(asked->folder, "GET", "/v1/status"));
    if (silent && !state_folder_taken(asked->folder)) {
      session.output.answer(rendered({kStopped, {{"name", asked->name}}}, asked->language) + '\n');
      return kDone;
    }
    std::this_thread::sleep_for(kLook);
  }
  return said({kStillThere, {{"name", asked->name}, {"flag", name_flag_of(asked->name)}}},
              kCouldNot, session, asked->language);
}

int logs_command(const Arguments& arguments, Session& session) {
  const auto asked = asked_of(arguments, session);
  if (!asked) return could_not(asked.error(), arguments, session);
  // What has ended still has its output, with its daemon or without.
  const auto status = ask_daemon(asked->folder, "GET", "/v1/status");
  const auto numbers = status ? numbers_in(status->body) : numbers_in(asked->folder);
  if (numbers.empty() && none_runs(status)) return nobody(*asked, status, arguments, session);
  const std::int64_t first = numbers.empty() ? 0 : numbers.front();
  const auto number = arguments.words.empty() ? std::optional<long long>(first)
                                              : to_integer(arguments.words.front());
  if (!number || *number < 0 || *number > kMostNumber) return ask_which(numbers, *asked, session);
  const std::string log = asked->folder.replica(static_cast<int>(*number)).log();
  if (!real_files().info(log)) {
    if (!status && none_runs(status)) return nobody(*asked, status, arguments, session);
    if (std::ranges::find(numbers, *number) == numbers.end())
      return ask_which(numbers, *asked, session);
    return said({kNoLog, {{"number", std::int64_t{*number}}}}, kCouldNot, session, asked->language);
  }
  GrowingFile file(log);
  const InterruptGuard interrupt;
  do {
    const auto seen = file.look([&](std::string_view bytes) { session.output.answer(bytes); });
    if (!seen) return could_not(seen.error(), arguments, session);
    if (*seen != GrowingFile::News::Nothing) continue;
    if (!arguments.has("--follow")) return kDone;
    std::this_thread::sleep_for(kLook);
  } while (!interrupt.stop());
  return kInterrupted;
}

}  // namespace sx
