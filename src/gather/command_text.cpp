// Which kind of text holds the commands. Shell scripts are read today; other kinds are refused by
// name.
#include "gather/command_text.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr Bytes kScriptLimit = mib(16);   // as the shell reader
constexpr std::size_t kShownLength = 40;  // of a word in an error
constexpr Text kOtherKind{"{name} is {kind}; what is taken today: a shell script",
                          "{name}是{kind}；目前只接受 shell 脚本"};
constexpr Text kStandardInput{"standard input", "标准输入"};
constexpr Text kTwoCommands{"a command after -- and -f {file} were both given",
                            "同时给出了 -- 之后的命令和 -f {file}"};
constexpr Text kNoCommand{"no command was given: -- COMMAND or -f FILE",
                          "没有给出命令：用 -- COMMAND 或 -f FILE"};

struct OtherKind {
  std::string_view ending;
  Text name;
};
constexpr Text kYaml{"YAML", " YAML"};
constexpr Text kJson{"JSON", " JSON"};
constexpr Text kPython{"Python", " Python"};
constexpr Text kSystemd{"a systemd unit", " systemd 单元"};
constexpr std::array kOtherKinds{
    OtherKind{".yaml", kYaml},
    OtherKind{".yml", kYaml},
    OtherKind{".json", kJson},
    OtherKind{".service", kSystemd},
    OtherKind{".py", kPython},
    OtherKind{".toml", {"TOML", " TOML"}},
    OtherKind{".ipynb", {"a notebook", "笔记本（notebook）"}},
};

std::string_view first_line_with_text(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of("\r\n"));
}

// Empty: it may be a shell script.
Text other_kind(std::string_view name, std::string_view text) {
  const auto line = first_line_with_text(text);
  if (line.starts_with("#!") && line.contains("sh")) return {};
  const std::string ending = lower(name);
  for (const auto& kind : kOtherKinds) {
    if (ending.ends_with(kind.ending)) return kind.name;
  }
  if (line.starts_with("#!") && line.contains("python")) return kPython;
  if (line == "[Unit]" || line == "[Service]") return kSystemd;
  if (line == "---" || line.starts_with("apiVersion:") || line.starts_with("services:"))
    return kYaml;
  if (line.starts_with('{') && trimmed(text).ends_with('}') && text.contains("\":")) return kJson;
  return {};
}

Result<ReadCommands> read_shell(const Sources& sources, int source, std::string name) {
  SX_TRY(auto shell, parse_shell(sources, source));
  return ReadCommands{std::move(shell.commands), std::move(shell.notes), std::move(name)};
}

bool is_shell(std::string_view program) {
  return program == "bash" || program == "sh" || program == "dash" || program == "zsh" ||
         program == "ksh";
}

// What `bash -c` runs and a whole line in one word are shell text; the words of argv as they are
// need no reader.
Result<ReadCommands> read_argv(Sources& sources, const std::vector<std::string>& argv) {
  const bool one_word = argv.size() == 1 && argv[0].find_first_of(" \t\r\n") != std::string::npos;
  if (one_word) {
    const int source = sources.add({.kind = SourceKind::CommandLine, .text = argv[0]});
    return read_shell(sources, source, {});
  }
  auto command = command_from_argv(sources, argv);
  if (!command.words.empty() && is_shell(program_name(command.words[0].text))) {
    return read_shell(sources, command.source, {});
  }
  ReadCommands read;
  read.commands.push_back(std::move(command));
  return read;
}

Result<ReadCommands> read_file(Sources& sources, const std::string& file, const Outside& outside) {
  const bool from_input = file == "-";
  const std::string at = path_in(outside.folder, file);
  SX_TRY(auto text, from_input ? outside.standard_input() : outside.files->read(at, kScriptLimit));
  const std::string name = from_input ? "standard input" : file;
  const auto kind = other_kind(name, text);
  if (!kind.empty()) {
    const Both shown = from_input ? in_both(kStandardInput) : Both{file, file + ' '};
    return fail(Error::Kind::Unsupported, in_both({kOtherKind, {{"name", shown}, {"kind", kind}}}));
  }
  Source source{.kind = SourceKind::File, .name = file, .uri = at, .text = std::move(text)};
  if (from_input) source = {.kind = SourceKind::StandardInput, .text = std::move(source.text)};
  return read_shell(sources, sources.add(std::move(source)), name);
}

}  // namespace

std::string path_in(const std::string& folder, std::string_view path) {
  if (path.starts_with('/') || folder.empty()) return std::string(path);
  return folder + '/' + std::string(path);
}

std::string valid_utf8_front(std::string_view text) {
  std::string shown = valid_utf8(text.substr(0, kShownLength));
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }, '?');
  return text.size() > kShownLength ? shown + "…" : shown;
}

Result<ReadCommands> read_commands(Sources& sources, const CommandAsk& ask,
                                   const Outside& outside) {
  if (ask.file && !ask.argv.empty()) {
    return fail(Error::Kind::Usage, in_both({kTwoCommands, {{"file", *ask.file}}}));
  }
  if (ask.file) return read_file(sources, *ask.file, outside);
  if (ask.argv.empty()) return fail(Error::Kind::Usage, in_both(kNoCommand));
  return read_argv(sources, ask.argv);
}

}  // namespace sx
