// A process is named by its program and our own command's name: further words may hold secrets.
#include "api/daemon_end.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "api/own_log.h"
#include "diag/message.h"
#include "sys/files.h"
#include "sys/process_files.h"
#include "sys/process_name.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

constexpr Text kByProcess{"asked to by process {pid} ({name})", "应进程 {pid}（{name}）的要求"};
constexpr Text kByBareProcess{"asked to by process {pid}", "应进程 {pid} 的要求"};
constexpr Text kByNobody{"asked to through its API", "应 API 请求"};
constexpr Text kBySignal{"asked to by signal {signal}", "收到信号 {signal}"};
constexpr Text kEnded{"ended at {time} UTC: {asked}", "于 {time}（UTC）结束：{asked}"};
constexpr Text kEndedAfter{"ended at {time} UTC: {asked}, after it had given up ({cause})",
                           "于 {time}（UTC）结束：{asked}，此前已放弃（{cause}）"};
constexpr Text kLost{
    "the daemon before this one ended without a word: it was killed, or the machine went down; "
    "what it left is taken over",
    "之前的守护进程未留下任何说明就结束了：它被终止，或主机宕机；它留下的进程已被接管"};

bool is_command_name(const std::string& word) {
  constexpr std::size_t kMost = 20;
  return !word.empty() && word.size() <= kMost &&
         std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

// "sextant up", "curl"; empty: it has gone, or is hidden.
std::string name_of(pid_t pid) {
  const auto process = process_files(real_files(), pid);
  if (!process || process->words.empty()) return {};
  const std::string& program = process->words.front();
  std::string name = program.substr(program.rfind('/') + 1);
  const bool ours = name == "sextant" && process->words.size() > 1;
  if (ours && is_command_name(process->words[1])) name += ' ' + process->words[1];
  return shown_process_name(name);
}

std::string time_of(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

}  // namespace

Both asked_by_process(pid_t pid) {
  if (pid <= 0) return in_both(Message{kByNobody});
  const std::string name = name_of(pid);
  if (name.empty()) return in_both({kByBareProcess, {{"pid", std::to_string(pid)}}});
  return in_both({kByProcess, {{"pid", std::to_string(pid)}, {"name", name}}});
}

Both asked_by_signal(int signal) {
  return in_both({kBySignal, {{"signal", std::to_string(signal)}}});
}

Both words_of_end(std::int64_t unix_ms, const Both& asked, const Both& given_up) {
  const std::string time = time_of(unix_ms);
  if (given_up.empty()) return in_both({kEnded, {{"time", time}, {"asked", asked}}});
  return in_both({kEndedAfter, {{"time", time}, {"asked", asked}, {"cause", given_up}}});
}

void note_end(const StateFolder& folder, Journal& journal, const Both& words) {
  [[maybe_unused]] const auto added =
      journal.add(JournalNote{.unix_ms = unix_ms(), .name = "ended", .words = words});
  leave_last_words(folder, words);
}

void note_lost_daemon(Journal& journal) {
  [[maybe_unused]] const auto added = journal.add(
      JournalNote{.unix_ms = unix_ms(), .name = "daemon-lost", .words = in_both(Message{kLost})});
}

}  // namespace sx
