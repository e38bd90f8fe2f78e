// Asks docker, then podman, without a shell; whichever knows the name. An old one that knows less
// is asked less.
#include <array>
#include <chrono>

#include "base/strings.h"
#include "check/scrub.h"
#include "cli/diagnose_live_parts.h"
#include "sys/child_program.h"

namespace sx {
namespace {

using std::chrono::seconds;

constexpr seconds kOneAnswer{20};
constexpr std::string_view kMostLogLines = "200000";
constexpr std::size_t kMostListed = 40;
constexpr std::size_t kMostRefusal = 160;  // a sentence or two
constexpr int kKilledBy = 128;             // an exit code above it is a signal

constexpr Text kEnded{"container {name} has ended with exit code {code}",
                      "容器 {name} 已结束，退出码 {code}"};
constexpr Text kSignal{"container {name} was ended by signal {signal}",
                       "容器 {name} 被信号 {signal} 结束"};
constexpr Text kOutOfMemory{"container {name} reached its memory limit and was killed",
                            "容器 {name} 触及内存上限，被杀掉"};
constexpr Text kListed{"in the container: {line}", "容器内：{line}"};
constexpr Text kNoLog{"{program} gives no log of {name}; its log driver may keep none",
                      "{program} 没有给出 {name} 的日志；它的日志驱动可能不保存日志"};

struct Container {
  std::string program;
  int pid = 0;  // 0: it does not run
  std::optional<long long> exit_code;
  bool out_of_memory = false;
};

// "4242 0 false", or the first of them alone; warnings may stand before it.
std::optional<Container> container_of(const std::string& program, std::string_view said) {
  for (const std::string_view line : split(said, '\n')) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(trimmed(line), ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    const auto pid = words.empty() ? std::nullopt : to_integer(words[0]);
    if (!pid || *pid < 0 || *pid > kMostPid) continue;
    Container found{.program = program, .pid = static_cast<int>(*pid), .exit_code = {}};
    if (words.size() > 1) found.exit_code = to_integer(words[1]);
    found.out_of_memory = words.size() > 2 && words[2] == "true";
    return found;
  }
  return {};
}

// Why a program named none: its own last words. A daemon that hangs or may not be asked is not a
// container that is not there.
Both refusal(const ChildAnswer& answer) {
  if (answer.timed_out) {
    const std::string limit = std::to_string(kOneAnswer.count());
    return {"no answer within " + limit + " s", limit + " 秒内没有应答"};
  }
  std::string_view words = trimmed(answer.out);
  words = trimmed(words.substr(words.rfind('\n') + 1)).substr(0, kMostRefusal);
  if (words.empty()) return {"no answer", "没有应答"};
  const std::string said = without_secrets_in_text(words);
  return {said, said};
}

Result<Container> find_container(const std::string& name) {
  if (name.empty() || name.starts_with('-'))
    return fail(Error::Kind::Usage, "'" + name + "' is no name of a container",
                "'" + name + "' 不是容器名");
  std::string why, why_chinese;
  for (const std::string program : {"docker", "podman"}) {
    Both said;
    for (const char* form :
         {"{{.State.Pid}} {{.State.ExitCode}} {{.State.OOMKilled}}", "{{.State.Pid}}"}) {
      const auto answer = run_child_program({.words = {program, "inspect", "--format", form, name},
                                             .limit = kOneAnswer,
                                             .with_errors = true});
      if (!answer) break;
      if (auto found = container_of(program, answer->out); found && answer->code == 0)
        return *std::move(found);
      said = refusal(*answer);
      if (answer->timed_out) break;  // a simpler question is not answered either
    }
    if (said.english.empty()) continue;
    why += (why.empty() ? "" : "; ") + program + ": " + said.english;
    why_chinese += (why_chinese.empty() ? "" : "；") + program + "：" + said.chinese;
  }
  if (why.empty())
    return fail(Error::Kind::Absent, "neither docker nor podman is installed here",
                "这里没有安装 docker，也没有 podman");
  return fail(Error::Kind::Absent, "no container '" + name + "' is found (" + why + ")",
              "没有找到容器 '" + name + "'（" + why_chinese + "）");
}

void say_end(Live& live, const Container& container, const std::string& name) {
  if (container.out_of_memory) {
    live.say({kOutOfMemory, {{"name", name}}});
    // As a log would have it: the kernel's own words are often out of reach.
    live.feed(container.program + " inspect " + name, "State: OOMKilled\n");
  }
  if (!container.exit_code) return;
  const long long code = *container.exit_code;
  if (code > kKilledBy && code < kKilledBy + 65)
    return live.say(
        {kSignal, {{"name", name}, {"signal", static_cast<std::int64_t>(code - kKilledBy)}}});
  live.say({kEnded, {{"name", name}, {"code", static_cast<std::int64_t>(code)}}});
}

// Where its processes are none of this machine: the list that the container program gives.
void say_list(Live& live, const Container& container, const std::string& name) {
  const auto listed =
      run_child_program({.words = {container.program, "top", name}, .limit = kOneAnswer});
  if (!listed || listed->code != 0) return;
  std::size_t said = 0;
  const std::string text = without_secrets_in_text(listed->out);
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    if (++said > kMostListed) break;
    live.say({kListed, {{"line", std::string(trimmed(line).substr(0, 200))}}});
  }
}

}  // namespace

Result<void> look_into_container(Live& live, const std::string& name, std::optional<int>& pid,
                                 const Outside& outside) {
  SX_TRY(const Container container, find_container(name));
  const auto logs = run_child_program(
      {.words = {container.program, "logs", "--tail", std::string(kMostLogLines), name},
       .limit = kOneAnswer,
       .most_bytes = std::size_t{256} << 20U,
       .with_errors = true});
  if (logs && !logs->out.empty()) {
    live.feed(container.program + " logs " + name, logs->out);
  } else {
    live.say({kNoLog, {{"program", container.program}, {"name", name}}});
  }
  if (container.pid == 0) {
    say_end(live, container, name);
    return {};
  }
  // Of another namespace, or of another machine: its log was read all the same.
  if (const auto looked = look_at(live, container.pid, false, outside)) {
    pid = container.pid;
  } else {
    say_list(live, container, name);
  }
  return {};
}

}  // namespace sx
