// Which kind of text holds the commands, and who reads it. Kinds that nobody reads are refused by
// name.
#include "gather/command_text.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "gather/manifest.h"
#include "gather/text_kind.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr Bytes kScriptLimit = mib(16);   // as the shell reader
constexpr std::size_t kShownLength = 40;  // of a word in an error
constexpr Text kOtherKind{
    "{name} is {kind}; what is taken: shell scripts, compose and Kubernetes YAML, "
    "systemd units, JSON, ps output",
    "{name}是{kind}；可接受的是：shell 脚本、compose 与 Kubernetes "
    "YAML、systemd 单元、JSON、ps 的输出"};
constexpr Text kDeployment{
    "{name} is a deployment file: `sextant config {file}` reads it, and `sextant up {file}` checks "
    "every launch of it before it starts any",
    "{name} 是部署文件：用 `sextant config {file}` 读取；`sextant up {file}` "
    "会先检查其中每个启动命令，"
    "再启动"};
constexpr Text kStandardInput{"standard input", "标准输入"};
constexpr Text kTwoCommands{"a command after -- and -f {file} were both given",
                            "同时给出了 -- 之后的命令和 -f {file}"};
constexpr Text kPidAlone{"--pid names a running process; it takes no command and no -f",
                         "--pid 指定正在运行的进程，不能同时给出命令或 -f"};
constexpr Text kNoPid{"--pid '{said}' is not the number of a process", "--pid '{said}' 不是进程号"};
constexpr Text kNoCommand{"no command was given: -- COMMAND or -f FILE",
                          "没有给出命令：用 -- COMMAND 或 -f FILE"};

// Of kinds that are not read.
Text kind_name(TextKind kind) {
  switch (kind) {
    case TextKind::Yaml:
      return {"YAML", " YAML"};
    case TextKind::Json:
      return {"JSON", " JSON"};
    case TextKind::Systemd:
      return {"a systemd unit", " systemd 单元"};
    case TextKind::Python:
      return {"Python", " Python"};
    case TextKind::Toml:
      return {"TOML", " TOML"};
    case TextKind::Notebook:
      return {"a notebook", "笔记本（notebook）"};
    case TextKind::ProcessList:
      return {"a list of processes", "进程列表"};
    case TextKind::Shell:
      break;
  }
  return {"a shell script", " shell 脚本"};
}

// Of all files in TOML ours says which models run.
bool is_deployment(std::string_view text) {
  return std::ranges::any_of(lines_of(text), [](std::string_view line) {
    const std::string_view said = trimmed(line);
    return said.starts_with("[model]") || said.starts_with("[[model]]");
  });
}

std::vector<PlacedCommand> placed(const Sources& sources, std::vector<Command> commands,
                                  std::vector<ShellNote>& notes) {
  std::vector<PlacedCommand> all;
  for (auto& command : commands) {
    for (auto& one : placed_commands(sources, std::move(command), notes)) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

// What `bash -c` runs and a whole line in one word are shell text; the words of argv as they are
// need no reader.
Result<ReadCommands> read_argv(Sources& sources, const std::vector<std::string>& argv) {
  const bool one_word = argv.size() == 1 && argv[0].find_first_of(" \t\r\n") != std::string::npos;
  if (one_word) {
    const int source = sources.add({.kind = SourceKind::CommandLine, .text = argv[0]});
    return read_shell_text(sources, source);
  }
  auto command = command_from_argv(sources, argv);
  if (!command.words.empty() && is_shell(command.words[0].text)) {
    return read_shell_text(sources, command.source);
  }
  ReadCommands read;
  read.commands = placed_commands(sources, std::move(command), read.notes);
  return read;
}

Result<ReadCommands> read_kind(Sources& sources, Source source, TextKind kind,
                               const Outside& outside) {
  const bool from_input = source.kind == SourceKind::StandardInput;
  switch (kind) {
    case TextKind::Shell:
      return read_shell_text(sources, sources.add(std::move(source)));
    case TextKind::Yaml:
      return read_yaml_text(sources, sources.add(std::move(source)), outside);
    case TextKind::Systemd:
      return read_unit_text(sources, sources.add(std::move(source)), outside);
    case TextKind::Json: {
      // Manifests are printed as JSON, too, and JSON is YAML.
      const int added = sources.add(std::move(source));
      return is_json_manifest(sources.at(added).text) ? read_yaml_text(sources, added, outside)
                                                      : read_json_text(sources, added);
    }
    case TextKind::ProcessList:
      return read_process_list(sources, sources.add(std::move(source)));
    case TextKind::Toml:
      if (!from_input && is_deployment(source.text)) {
        return fail(
            Error::Kind::Unsupported,
            in_both({kDeployment, {{"name", source.name}, {"file", shell_quoted(source.name)}}}));
      }
      break;
    case TextKind::Python:
    case TextKind::Notebook:
      break;
  }
  const Both shown = from_input ? in_both(kStandardInput) : Both{source.name, source.name + ' '};
  return fail(Error::Kind::Unsupported,
              in_both({kOtherKind, {{"name", shown}, {"kind", kind_name(kind)}}}));
}

Result<ReadCommands> read_file(Sources& sources, const std::string& file, const Outside& outside) {
  const bool from_input = file == "-";
  const std::string at = path_in(outside.folder, file);
  SX_TRY(auto text, from_input ? outside.standard_input() : outside.files->read(at, kScriptLimit));
  const std::string name = from_input ? "standard input" : file;
  const TextKind kind = text_kind(name, text);
  Source source{.kind = SourceKind::File, .name = file, .uri = at, .text = std::move(text)};
  if (from_input) source = {.kind = SourceKind::StandardInput, .text = std::move(source.text)};
  SX_TRY(auto read, read_kind(sources, std::move(source), kind, outside));
  read.name = name;
  return read;
}

}  // namespace

Result<ReadCommands> read_shell_text(const Sources& sources, int source) {
  SX_TRY(auto shell, parse_shell(sources, source));
  ReadCommands read{.commands = {}, .notes = std::move(shell.notes), .name = {}};
  read.commands = placed(sources, std::move(shell.commands), read.notes);
  return read;
}

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
  if (ask.pid) {
    if (ask.file || !ask.argv.empty()) return fail(Error::Kind::Usage, in_both(kPidAlone));
    const auto pid = to_integer(*ask.pid);
    if (!pid || *pid <= 0 || *pid > INT32_MAX)
      return fail(Error::Kind::Usage, in_both({kNoPid, {{"said", *ask.pid}}}));
    return read_process(sources, static_cast<int>(*pid), outside);
  }
  if (ask.file && !ask.argv.empty()) {
    return fail(Error::Kind::Usage, in_both({kTwoCommands, {{"file", *ask.file}}}));
  }
  if (ask.file) return read_file(sources, *ask.file, outside);
  if (ask.argv.empty()) return fail(Error::Kind::Usage, in_both(kNoCommand));
  return read_argv(sources, ask.argv);
}

}  // namespace sx
