// Help in both languages, made from the table.
#include <algorithm>

#include "base/check.h"
#include "cli/arguments.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr std::size_t kHelpWidth = 100;

constexpr Text kWhat{"checks a launch of a model server before it runs, and says what would work",
                     "在启动模型服务之前检查启动命令，并给出可行的命令"};
constexpr Text kUsage{"usage", "用法"};
constexpr Text kOptions{"options", "选项"};
constexpr Text kCommon{"options of every command", "所有命令通用的选项"};
constexpr Text kMore{"`sextant help COMMAND` tells more.", "更多信息：`sextant help COMMAND`。"};
constexpr Text kOthers{"others", "其他"};

// In the order in which a person needs them; what stands in no group is among the others.
struct Group {
  Text title;
  std::vector<std::string_view> commands;
};
const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {{"before it runs", "启动之前"}, {"check", "fix", "plan", "inspect", "host"}},
      {{"while it runs", "运行期间"},
       {"up", "status", "logs", "smoke", "bench", "reload", "restart", "drain", "down", "config"}},
      {{"when it fails", "出错之后"}, {"diagnose", "explain", "learn"}},
      {{"one address for several engines", "多个引擎共用一个地址"}, {"gateway", "route", "keys"}}};
  return all;
}

std::string colon(Language language) { return language == Language::English ? ": " : "："; }

std::string heading(const Text& words, Language language) {
  return std::string(words.in(language)) + (language == Language::English ? ":\n" : "：\n");
}

std::string flag_words(const FlagSpec& flag) {
  std::string words;
  if (!flag.short_name.empty()) words += std::string(flag.short_name) + ", ";
  words += flag.name;
  if (!flag.value.empty()) words += ' ' + std::string(flag.value);
  return words;
}

void add_entry(std::string& out, std::size_t left, std::string_view term,
               std::string_view explanation) {
  const auto lines = wrapped(explanation, kHelpWidth - left - 4);
  out += "  " + padded(term, left) + "  ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += std::string(left + 4, ' ');
    out += lines[i] + '\n';
  }
  if (lines.empty()) out += '\n';
}

std::vector<Group> with_others() {
  std::vector<Group> all = groups();
  Group others{kOthers, {}};
  for (const CommandSpec& command : command_table()) {
    const bool named = std::ranges::any_of(all, [&](const Group& group) {
      return std::ranges::find(group.commands, command.name) != group.commands.end();
    });
    if (!named) others.commands.push_back(command.name);
  }
  all.push_back(std::move(others));
  return all;
}

void add_flags(std::string& out, const std::vector<FlagSpec>& flags, Language language) {
  std::size_t left = 0;
  for (const FlagSpec& flag : flags) left = std::max(left, columns(flag_words(flag)));
  for (const FlagSpec& flag : flags) add_entry(out, left, flag_words(flag), flag.help.in(language));
}

}  // namespace

std::string help_text(Language language) {
  std::string out = "sextant" + colon(language) + std::string(kWhat.in(language)) + "\n\n";
  out += std::string(kUsage.in(language)) + colon(language) + "sextant COMMAND [options]\n\n";
  std::size_t left = 0;
  for (const CommandSpec& command : command_table()) left = std::max(left, command.name.size());
  for (const Group& group : with_others()) {
    out += heading(group.title, language);
    for (const std::string_view name : group.commands) {
      const CommandSpec* command = find_command(name);
      SX_ASSERT(command != nullptr);
      add_entry(out, left, name, command->help.in(language));
    }
    out += '\n';
  }
  out += heading(kCommon, language);
  add_flags(out, common_flags(), language);
  out += '\n' + std::string(kMore.in(language)) + '\n';
  return out;
}

std::string help_text(const CommandSpec& command, Language language) {
  std::string out = "sextant " + std::string(command.name) + colon(language) +
                    std::string(command.help.in(language)) + "\n\n";
  out +=
      std::string(kUsage.in(language)) + colon(language) + "sextant " + std::string(command.name);
  if (!command.usage.empty()) out += ' ' + std::string(command.usage);
  out += '\n';
  if (!command.detail.empty()) {
    out += '\n';
    for (const std::string& line : wrapped(command.detail.in(language), kHelpWidth))
      out += line + '\n';
  }
  if (!command.flags.empty()) {
    out += '\n' + heading(kOptions, language);
    add_flags(out, command.flags, language);
  }
  out += '\n' + heading(kCommon, language);
  add_flags(out, common_flags(), language);
  return out;
}

}  // namespace sx
