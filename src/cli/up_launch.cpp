// A launch is started without a shell, so pipes, redirections and other commands have nobody to do
// them.
#include "cli/up_launch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/strings.h"
#include "check/scrub.h"
#include "facts/container_changes.h"
#include "gather/command_text.h"
#include "read/command_front.h"
#include "read/shell_call.h"
#include "read/shell_words.h"
#include "run/container_launch.h"

namespace sx {
namespace {

constexpr Text kSeveral{"one launch is wanted here, not several", "这里只能有一个启动命令"};
constexpr Text kLeftOut{
    "left out: {part}; an engine is started without a shell, its output is kept (`sextant logs`)",
    "已略去：{part}；引擎不经 shell 启动，它的输出会保留（`sextant logs`）"};
constexpr Text kNoProfile{
    "no profile is read for {shell}: an engine is started without a shell; what the profile sets "
    "belongs into environment and venv of a deployment file",
    "不会读取 {shell} 的 profile：引擎不经 shell 启动；profile 里的设置要写进部署文件的 "
    "environment 和 venv"};
constexpr Text kOurs{
    "left out: {options}; a container of a replica stays attached, with a name and a port of its "
    "own",
    "已略去：{options}；副本的容器留在前台，名称和端口由 Sextant 决定"};
constexpr Text kTorn{
    "{place} stands in a text for a shell, where it cannot be told how {value} becomes one word; "
    "as "
    "a list of words the command needs no shell",
    "{place} 写在 shell 的文本里，无法确定 {value} 怎样保持为一个词；把命令写成词的列表就不需要 "
    "shell"};
constexpr Text kNotRun{
    "the command holds more than a launch, and this would not be run: {part}; venv, environment "
    "and mounts of a deployment file say where an engine runs",
    "命令里不只有启动命令，这部分不会执行：{part}；引擎在哪里运行，用部署文件的 "
    "venv、environment、mounts 来写"};

bool is_shell_word(const std::string& word) {
  return word.find_first_of(" \t\r\n") != std::string::npos;
}

// What stands beside the launch in its text; of a text that is derived the words behind it.
std::string beside(const Sources& sources, const Command& command) {
  const bool plain = command.written == Command::Text::Plain && command.source >= 0;
  if (!plain) return join(command.after, " ");
  const std::string_view text = sources.at(command.source).text;
  const std::string_view ahead = trimmed(text.substr(0, command.span.begin));
  const std::string_view behind = trimmed(text.substr(std::min(command.span.end, text.size())));
  std::string all(ahead);
  if (!ahead.empty() && !behind.empty()) all += " … ";
  all += behind;
  return all.empty() ? join(command.after, " ") : all;
}

// A text inside another is shown whole, as far as that is short.
std::string shown_text(const Sources& sources, const Command& command) {
  constexpr std::size_t kMostShown = 120;
  const std::string& text = sources.at(command.source).text;
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// A loop, a branch or a subshell around the launch, by the words in front of it. In a text that
// stands nowhere as it is they may be behind it as well.
bool stands_in_block(const Sources& sources, const Command& launch) {
  constexpr std::array<std::string_view, 6> kOpen{"do", "then", "else", "{", "(", "!"};
  if (launch.source < 0) return false;
  std::string_view ahead = sources.at(launch.source).text;
  if (launch.written != Command::Text::Derived) ahead = ahead.substr(0, launch.span.begin);
  constexpr std::string_view kBetween = " \t\r\n;&|'\"\\";
  while (!ahead.empty()) {
    const std::size_t end = std::min(ahead.find_first_of(kBetween), ahead.size());
    const std::string_view word = ahead.substr(0, end);
    if (word.starts_with('(') || std::ranges::find(kOpen, word) != kOpen.end()) return true;
    ahead.remove_prefix(std::min(end + 1, ahead.size()));
  }
  return false;
}

// Whether the launch is the end of these words: its wrappers stand in front of them.
bool is_end_of(const Command& launch, const Command& command) {
  const auto& words = command.words;
  return launch.words.size() <= words.size() &&
         std::equal(launch.words.rbegin(), launch.words.rend(), words.rbegin(),
                    [](const Word& a, const Word& b) { return a.text == b.text; });
}

// Commands of the text that are neither the launch nor what reads its output.
bool has_other_commands(const std::vector<PlacedCommand>& all, const Command& launch) {
  const auto pipes = std::ranges::count(launch.after, "|");
  return all.empty() || !is_end_of(launch, all.front().command) || std::ssize(all) - 1 > pipes;
}

// The shell that reads its profile first: "bash -lc".
std::optional<std::string> login_shell(const Command& launch) {
  const auto words = said_words(launch.before);
  for (std::size_t at = 0; at < std::min(launch.outside, words.size()); ++at) {
    if (!is_shell(words[at])) continue;
    const auto rest = std::span(words).subspan(at);
    const ShellCall call = shell_call(rest);
    if (!call.login) continue;
    std::string shown;
    for (const std::string_view word : rest.first(call.behind))
      shown += (shown.empty() ? "" : " ") + std::string(word);
    return shown;
  }
  return {};
}

// Of a `docker run` that was written by hand: "--name vllm -p 8000:8000 -d".
std::string options_left_out(const Command& launch) {
  const auto line = run_line(launch);
  std::string all;
  std::size_t next = 0;  // letters of one word are several options
  for (const ContainerOption& option : line ? line->options : std::vector<ContainerOption>()) {
    if (!is_ours(option) || option.first_word < next) continue;
    next = option.first_word + option.word_count;
    for (std::size_t at = option.first_word; at < next && at < launch.front.size(); ++at)
      all += (all.empty() ? "" : " ") + launch.front[at].text;
  }
  return all;
}

// All words of a launch's text with what its assignments say.
Result<std::string> as_read(const std::vector<std::string>& command, const Outside& outside) {
  Sources sources;
  SX_TRY(const auto read, read_commands(sources, {.argv = command}, outside));
  std::string all;
  for (const PlacedCommand& one : read.commands) {
    for (const Setting& setting : one.command.environment)
      all += setting.name + '=' + setting.value + '\0';
    for (const Word& word : one.command.words) all += word.text + '\0';
    all += '\0';
  }
  return all;
}

}  // namespace

Result<void> values_stay_words(const std::vector<std::string>& command,
                               const TemplateValues& values, const Outside& outside) {
  if (!asks_for(command, "model") || shell_quoted(values.model) == values.model) return {};
  TemplateValues plain = values;
  plain.model = "sextant-stands-in-for-the-model";
  SX_TRY(const std::string wanted, as_read(filled(command, plain), outside));
  SX_TRY(const std::string read, as_read(filled(command, values), outside));
  if (replaced(wanted, plain.model, values.model) == read) return {};
  return fail(Error::Kind::Usage,
              in_both({kTorn, {{"place", "{model}"}, {"value", values.model}}}));
}

Result<ReadLaunch> read_launch_of(const std::vector<std::string>& command, const UpAsk& ask,
                                  const Outside& outside) {
  Sources sources;
  CommandAsk question{.argv = command};
  if (!ask.version.empty()) question.engine_version = ask.version;
  SX_TRY(auto gathered, gather_commands(sources, question, outside));
  if (gathered.launches.size() != 1) return fail(Error::Kind::Usage, in_both({kSeveral}));
  ReadLaunch read{.launch = std::move(gathered.launches.front()), .remarks = {}};
  if (const auto options = options_left_out(read.launch.command); !options.empty())
    read.remarks.push_back({kOurs, {{"options", options}}});
  if (!std::ranges::any_of(command, is_shell_word)) return read;
  const Command& launch = read.launch.command;
  Sources again;
  SX_TRY(const auto all, read_commands(again, question, outside));
  std::string part = beside(sources, launch);
  if (has_other_commands(all.commands, launch) || stands_in_block(sources, launch)) {
    if (launch.written != Command::Text::Plain) part = shown_text(sources, launch);
    return fail(Error::Kind::Usage, in_both({kNotRun, {{"part", without_secrets_in_text(part)}}}));
  }
  if (!launch.after.empty())
    read.remarks.push_back({kLeftOut, {{"part", without_secrets_in_text(part)}}});
  if (const auto shell = login_shell(launch))
    read.remarks.push_back({kNoProfile, {{"shell", *shell}}});
  return read;
}

Result<ReadLaunch> placed_launch_of(const std::vector<std::string>& command, const UpAsk& ask,
                                    const Outside& outside) {
  SX_TRY(auto read, read_launch_of(command, ask, outside));
  if (ask.image.image.empty()) return read;
  const ImageAsk question{.settings = ask.image,
                          .gpus = ask.hands_in_gpus,
                          .environment = ask.origin.environment,
                          .folder = ask.origin.folder};
  SX_TRY(const auto words, image_command(read.launch, question, *outside.files));
  SX_TRY(auto placed, read_launch_of(words, ask, outside));
  placed.remarks = std::move(read.remarks);
  return placed;
}

}  // namespace sx
