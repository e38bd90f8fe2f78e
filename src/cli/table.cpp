// The one table of commands and flags: parser, help, man page and completions are made from it.
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/table_parts.h"

namespace sx {
namespace {

// About the program itself.
void add_own_commands(std::vector<CommandSpec>& table) {
  table.push_back(
      {"completion",
       "bash|zsh|fish",
       {"prints completions for a shell", "输出 shell 的自动补全脚本"},
       {"Example: source <(sextant completion bash)", "例：source <(sextant completion bash)"},
       {},
       false,
       1,
       "bash|zsh|fish"});
  table.push_back({"man",
                   "",
                   {"prints the manual page", "输出手册页"},
                   {"Example: sextant man | man -l -", "例：sextant man | man -l -"},
                   {},
                   false,
                   0});
  table.push_back({"help",
                   "[COMMAND]",
                   {"what a command does and which options it has", "某个命令的作用与选项"},
                   {"The same as `sextant COMMAND --help`.", "与 `sextant COMMAND --help` 相同。"},
                   {},
                   false,
                   1,
                   "COMMAND"});
  table.push_back({"version", "", {"this program's version", "程序版本"}, {}, {}, false, 0});
}

std::vector<CommandSpec> make_table() {
  std::vector<CommandSpec> table;
  add_commands_before(table);
  add_commands_after(table);
  add_running_commands(table);
  add_gateway_commands(table);
  add_own_commands(table);
  return table;
}

}  // namespace

FlagSpec format_flag() {
  return {"--format", "", "FORMAT", {"text or json", "text 或 json"}, "text|json"};
}

FlagSpec name_flag() {
  return {
      "--name", "", "NAME", {"the deployment (default: default)", "部署的名称（默认：default）"}};
}

FlagSpec no_learned_flag() {
  return {"--no-learned",
          "",
          "",
          {"take no numbers that `sextant learn` kept", "不采用 `sextant learn` 保存的数字"}};
}

std::vector<FlagSpec> machine_flags() {
  return {
      {"--on",
       "",
       "MACHINE",
       {"the machine: 6xA100-PCIE-40GB, a saved machine file, or a file with nvidia-smi output "
        "(default: this machine)",
        "机器：6xA100-PCIE-40GB、保存的机器文件，或含 nvidia-smi 输出的文件（默认：本机）"}},
      {"--topology",
       "",
       "FILE",
       {"a file with the output of nvidia-smi topo -m", "含 nvidia-smi topo -m 输出的文件"}},
      {"--driver", "", "VERSION", {"driver version, such as 550.54.15", "驱动版本，如 550.54.15"}},
      {"--cuda", "", "VERSION", {"CUDA version, such as 12.4", "CUDA 版本，如 12.4"}},
      {"--shm", "", "SIZE", {"size of /dev/shm, such as 64MiB", "/dev/shm 大小，如 64MiB"}},
      {"--free",
       "",
       "GPU=SIZE,…",
       {"memory that is free on each GPU, such as 0=20GiB,1=18GiB",
        "各 GPU 的空闲显存，如 0=20GiB,1=18GiB"}},
  };
}

const std::vector<CommandSpec>& command_table() {
  static const std::vector<CommandSpec> table = make_table();
  return table;
}

const std::vector<FlagSpec>& common_flags() {
  static const std::vector<FlagSpec> flags = {
      {"--lang",
       "",
       "LANGUAGE",
       {"en or zh (default: by the environment)", "en 或 zh（默认按环境变量）"},
       "en|zh"},
      {"--color",
       "",
       "WHEN",
       {"auto, always or never", "auto、always 或 never"},
       "auto|always|never"},
      {"--data",
       "",
       "DIR",
       {"tables in this folder replace the built-in ones of the same name",
        "用该目录里的同名数据表替换内置数据"}},
      {"--help", "-h", "", {"this text", "显示本帮助"}},
      {"--version", "", "", {"the version", "显示版本"}},
  };
  return flags;
}

std::vector<std::string_view> choices_of_word(const CommandSpec& command) {
  const std::string_view words = command.first_word;
  const bool names_a_kind = words.empty() || (words.front() >= 'A' && words.front() <= 'Z');
  return names_a_kind ? std::vector<std::string_view>() : split(words, '|');
}

const CommandSpec* find_command(std::string_view name) {
  for (const CommandSpec& command : command_table()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace sx
