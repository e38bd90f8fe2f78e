// Help in both languages, made from the table.
#include <algorithm>

#include "base/check.h"
#include "cli/arguments.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr std::size_t kHelpWidth = 100;  // longer lines are hard to read
constexpr std::size_t kLeastText = 24;   // columns beside a term; with less it stands below it

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

struct Page {
  std::string text;
  std::size_t width = kHelpWidth;
};

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

void add_entry(Page& page, std::size_t left, std::string_view term, std::string_view explanation) {
  const bool below = page.width < left + 4 + kLeastText;
  const std::size_t indent = below ? 6 : left + 4;
  const auto lines = wrapped(explanation, page.width - indent);
  page.text += "  " + (below ? std::string(term) + '\n' : padded(term, left) + "  ");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 || below) page.text += std::string(indent, ' ');
    page.text += lines[i] + '\n';
  }
  if (lines.empty()) page.text += '\n';
}

void add_text(Page& page, std::string_view text) {
  for (const std::string& line : wrapped(text, page.width)) page.text += line + '\n';
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

void add_flags(Page& page, const std::vector<FlagSpec>& flags, Language language) {
  std::size_t left = 0;
  for (const FlagSpec& flag : flags) left = std::max(left, columns(flag_words(flag)));
  for (const FlagSpec& flag : flags)
    add_entry(page, left, flag_words(flag), flag.help.in(language));
}

}  // namespace

std::string help_text(Language language, std::size_t width) {
  Page page{.text = {}, .width = std::min(width, kHelpWidth)};
  add_text(page, "sextant" + colon(language) + std::string(kWhat.in(language)));
  page.text +=
      '\n' + std::string(kUsage.in(language)) + colon(language) + "sextant COMMAND [options]\n\n";
  std::size_t left = 0;
  for (const CommandSpec& command : command_table()) left = std::max(left, command.name.size());
  for (const Group& group : with_others()) {
    page.text += heading(group.title, language);
    for (const std::string_view name : group.commands) {
      const CommandSpec* command = find_command(name);
      SX_ASSERT(command != nullptr);
      add_entry(page, left, name, command->help.in(language));
    }
    page.text += '\n';
  }
  page.text += heading(kCommon, language);
  add_flags(page, common_flags(), language);
  page.text += '\n' + std::string(kMore.in(language)) + '\n';
  return page.text;
}

std::string help_text(const CommandSpec& command, Language language, std::size_t width) {
  Page page{.text = {}, .width = std::min(width, kHelpWidth)};
  add_text(page, "sextant " + std::string(command.name) + colon(language) +
                     std::string(command.help.in(language)));
  page.text += '\n';
  std::string usage =
      std::string(kUsage.in(language)) + colon(language) + "sextant " + std::string(command.name);
  if (!command.usage.empty()) usage += ' ' + std::string(command.usage);
  add_text(page, usage);
  if (!command.detail.empty()) {
    page.text += '\n';
    add_text(page, command.detail.in(language));
  }
  if (!command.flags.empty()) {
    page.text += '\n' + heading(kOptions, language);
    add_flags(page, command.flags, language);
  }
  page.text += '\n' + heading(kCommon, language);
  add_flags(page, common_flags(), language);
  return page.text;
}

}  // namespace sx
