// `sextant man`: the manual page in man(7) macros, made from the table of commands and flags.
#include <string>

#include "base/strings.h"
#include "cli/commands.h"

namespace sx {
namespace {

constexpr Text kName{"checks launches of model servers before they run",
                     "在启动模型服务之前检查启动命令"};
constexpr Text kSynopsis{"SYNOPSIS", "用法"};
constexpr Text kNameHead{"NAME", "名称"};
constexpr Text kCommands{"COMMANDS", "命令"};
constexpr Text kOptions{"OPTIONS OF EVERY COMMAND", "所有命令通用的选项"};
constexpr Text kExit{"EXIT STATUS", "退出码"};
constexpr Text kDoneText{"done; for check: nothing at or above --fail-on",
                         "完成；对 check：没有达到 --fail-on 级别的问题"};
constexpr Text kFound{"done, and there are such findings", "完成，且存在这样的问题"};
constexpr Text kCouldNotText{"could not be done: usage, unreadable input, own failure",
                             "无法完成：用法有误、输入无法读取或程序自身出错"};
constexpr Text kEnvironment{"ENVIRONMENT", "环境变量"};
constexpr Text kLang{"language of the answers: en or zh", "输出语言：en 或 zh"};
constexpr Text kNoColour{"set to anything: no colours", "设为任意值：不使用颜色"};

// A dash is a minus sign, a backslash is itself, and no line begins with a macro.
std::string roff(std::string_view text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (out.starts_with('.') || out.starts_with('\'')) out = "\\&" + out;
  return out;
}

std::string section(const Text& title, Language language) {
  return ".SH " + std::string(title.in(language)) + '\n';
}

std::string term(std::string_view head, std::string_view text) {
  return ".TP\n.B " + roff(head) + '\n' + roff(text) + '\n';
}

std::string flag_term(const FlagSpec& flag, Language language) {
  std::string head(flag.name);
  if (!flag.short_name.empty()) head = std::string(flag.short_name) + ", " + head;
  if (!flag.value.empty()) head += ' ' + std::string(flag.value);
  return term(head, flag.help.in(language));
}

std::string command_section(const CommandSpec& command, Language language) {
  std::string out = ".SS sextant " + std::string(command.name);
  if (!command.usage.empty()) out += ' ' + roff(command.usage);
  out += '\n' + roff(command.help.in(language)) + '\n';
  if (!command.detail.empty()) out += ".PP\n" + roff(command.detail.in(language)) + '\n';
  for (const FlagSpec& flag : command.flags) out += flag_term(flag, language);
  return out;
}

std::string page(Language language) {
  std::string out = ".TH SEXTANT 1 \"\" \"sextant " SEXTANT_VERSION "\"\n";
  out += section(kNameHead, language) + "sextant \\- " + roff(kName.in(language)) + '\n';
  out += section(kSynopsis, language) + ".B sextant\nCOMMAND [options]\n";
  out += section(kCommands, language);
  for (const CommandSpec& command : command_table()) out += command_section(command, language);
  out += section(kOptions, language);
  for (const FlagSpec& flag : common_flags()) out += flag_term(flag, language);
  out += section(kExit, language) + term("0", kDoneText.in(language)) +
         term("1", kFound.in(language)) + term("2", kCouldNotText.in(language));
  out += section(kEnvironment, language) + term("SEXTANT_LANG", kLang.in(language)) +
         term("NO_COLOR", kNoColour.in(language));
  return out;
}

}  // namespace

int man_command(const Arguments& arguments, Session& session) {
  session.output.answer(page(decide_language(arguments.language(), session.outside.environment)));
  return kDone;
}

}  // namespace sx
