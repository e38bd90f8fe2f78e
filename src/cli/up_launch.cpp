// A launch is started without a shell, so pipes, redirections and other commands have nobody to do
// them.
#include "cli/up_launch.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "gather/command_text.h"

namespace sx {
namespace {

constexpr Text kSeveral{"one launch is wanted here, not several", "这里只能有一个启动命令"};
constexpr Text kLeftOut{
    "left out: {part}; an engine is started without a shell, its output is kept (`sextant logs`)",
    "已略去：{part}；引擎不经 shell 启动，它的输出会保留（`sextant logs`）"};
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

// A loop, a branch or a subshell around the launch, by the words in front of it.
bool stands_in_block(const Sources& sources, const Command& launch) {
  constexpr std::array<std::string_view, 6> kOpen{"do", "then", "else", "{", "(", "!"};
  if (launch.written != Command::Text::Plain || launch.source < 0) return false;
  std::string_view ahead =
      std::string_view(sources.at(launch.source).text).substr(0, launch.span.begin);
  constexpr std::string_view kBetween = " \t\r\n;&|";
  while (!ahead.empty()) {
    const std::size_t end = std::min(ahead.find_first_of(kBetween), ahead.size());
    const std::string_view word = ahead.substr(0, end);
    if (word.starts_with('(') || std::ranges::find(kOpen, word) != kOpen.end()) return true;
    ahead.remove_prefix(std::min(end + 1, ahead.size()));
  }
  return false;
}

// Commands of the text that are neither the launch nor what reads its output.
bool has_other_commands(const std::vector<PlacedCommand>& all, const Command& launch) {
  const auto pipes = std::ranges::count(launch.after, "|");
  std::ptrdiff_t behind = 0;
  for (const PlacedCommand& one : all) {
    if (one.command.span.begin < launch.span.begin) return true;
    behind += one.command.span.begin > launch.span.begin ? 1 : 0;
  }
  return behind > pipes;
}

}  // namespace

Result<ReadLaunch> read_launch_of(const std::vector<std::string>& command, const UpAsk& ask,
                                  const Outside& outside) {
  Sources sources;
  CommandAsk question{.argv = command};
  if (!ask.version.empty()) question.engine_version = ask.version;
  SX_TRY(auto gathered, gather_commands(sources, question, outside));
  if (gathered.launches.size() != 1) return fail(Error::Kind::Usage, in_both({kSeveral}));
  ReadLaunch read{.launch = std::move(gathered.launches.front()), .remarks = {}};
  if (!std::ranges::any_of(command, is_shell_word)) return read;
  const Command& launch = read.launch.command;
  Sources again;
  SX_TRY(const auto all, read_commands(again, question, outside));
  const std::string part = beside(sources, launch);
  if (has_other_commands(all.commands, launch) || stands_in_block(sources, launch))
    return fail(Error::Kind::Usage, in_both({kNotRun, {{"part", part}}}));
  if (!launch.after.empty()) read.remarks.push_back({kLeftOut, {{"part", part}}});
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
