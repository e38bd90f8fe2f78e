// From argv to an exit code: data override, help, version, the command.
#include <algorithm>
#include <csignal>
#include <new>
#include <set>

#include "base/check.h"
#include "cli/commands.h"
#include "gateway/relay_process.h"
#include "knowledge/tables.h"
#include "run/keeper.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr Text kNoMemory{"there was not enough memory for this input",
                         "内存不足，无法处理这份输入"};
constexpr Text kNotWritten{"cannot write to standard output: {why}", "无法写到标准输出：{why}"};
constexpr Text kTry{"`sextant --help` lists the commands", "`sextant --help` 列出所有命令"};
constexpr Text kTryCommand{"`sextant {command} --help` lists its options",
                           "`sextant {command} --help` 列出它的选项"};
constexpr Bytes kTableLimit = mib(16);  // the built-in ones are far below

constexpr Text kNoColumn{"--data {folder}: {table} has no column {what}",
                         "--data {folder}：{table} 没有 {what} 列"};
constexpr Text kNoRow{"--data {folder}: {table} has no row {what} with a number as its value",
                      "--data {folder}：{table} 没有数值有效的 {what} 行"};

// What a table must have when it stands in for a built-in one: all columns, and of a table of
// numbers all names, or a formula would have nothing to work with.
Result<void> may_replace(const Replacement& replacement, const std::string& folder) {
  const auto bytes = find_table("data/" + replacement.name);
  if (!bytes || !replacement.name.ends_with(".tsv")) return {};
  const Table own(*bytes);
  const Table other(replacement.bytes);
  const auto missing = [&](Text text, std::string_view what) {
    return fail(Error::Kind::Usage,
                in_both({text, {{"folder", folder}, {"table", replacement.name}, {"what", what}}}));
  };
  for (const std::string_view column : own.header()) {
    if (!other.column(column)) return missing(kNoColumn, column);
  }
  if (!own.column("name") || !own.column("value")) return {};
  std::set<std::pair<std::string_view, std::string_view>>
      there;  // name and the version it begins with
  for (std::size_t row = 0; row < other.rows(); ++row) {
    if (number_cell(other.cell(row, "value")))
      there.emplace(other.cell(row, "name"), other.cell(row, "since"));
  }
  for (std::size_t row = 0; row < own.rows(); ++row) {
    const std::string_view name = own.cell(row, "name");
    if (number_cell(own.cell(row, "value")) && !there.contains({name, own.cell(row, "since")}))
      return missing(kNoRow, name);
  }
  return {};
}

// `--data DIR`: every table of that folder replaces the built-in one of its name; sub-folders as in
// data/.
Result<void> replace_data(const std::string& folder, const Files& files) {
  std::vector<Replacement> replacements;
  std::vector<std::string> open{""};
  constexpr std::size_t kMostFolders = 64;
  for (std::size_t at = 0; at < open.size() && at < kMostFolders; ++at) {
    const std::string here = open[at];
    SX_TRY(const auto names, files.list(folder + '/' + here));
    for (const std::string& name : names) {
      const std::string path = folder + '/' + here + name;
      SX_TRY(const auto info, files.info(path));
      if (info.kind == FileInfo::Kind::Directory) open.push_back(here + name + '/');
      if (info.kind != FileInfo::Kind::File || !(name.ends_with(".tsv") || name.ends_with(".json")))
        continue;
      SX_TRY(auto bytes, files.read(path, kTableLimit));
      replacements.push_back({here + name, std::move(bytes)});
      if (auto good = may_replace(replacements.back(), folder); !good) return good;
    }
  }
  if (replacements.empty())
    return fail(Error::Kind::Usage, "--data " + folder + ": no table (.tsv) is there",
                "--data " + folder + "：其中没有数据表（.tsv）");
  replace_tables(std::move(replacements));
  return {};
}

int run_command(const Arguments& arguments, Session& session) {
  const std::string_view name = arguments.command->name;
  if (name == "check") return check_command(arguments, session);
  if (name == "fix") return fix_command(arguments, session);
  if (name == "inspect") return inspect_command(arguments, session);
  if (name == "plan") return plan_command(arguments, session);
  if (name == "learn") return learn_command(arguments, session);
  if (name == "host") return host_command(arguments, session);
  if (name == "diagnose") return diagnose_command(arguments, session);
  if (name == "explain") return explain_command(arguments, session);
  if (name == "completion") return completion_command(arguments, session);
  if (name == "man") return man_command(arguments, session);
  if (name == "up") return up_command(arguments, session);
  if (name == "status") return status_command(arguments, session);
  if (name == "logs") return logs_command(arguments, session);
  if (name == "restart") return restart_command(arguments, session);
  if (name == "drain") return drain_command(arguments, session);
  if (name == "down") return down_command(arguments, session);
  if (name == "smoke") return smoke_command(arguments, session);
  if (name == "bench") return bench_command(arguments, session);
  if (name == "daemon") return daemon_command(arguments, session);
  if (name == "gateway") return gateway_command(arguments, session);
  if (name == "route") return route_command(arguments, session);
  if (name == "reload") return reload_command(arguments, session);
  if (name == "config") return config_command(arguments, session);
  if (name == "keys") return keys_command(arguments, session);
  if (name == "version") return version_command(arguments, session);
  SX_UNREACHABLE("a command of the table that nobody runs");
}

// Our own --lang, for words about arguments that could not be read.
std::optional<Language> language_in(const std::vector<std::string>& argv) {
  constexpr std::string_view kFlag = "--lang";
  std::optional<Language> asked;
  for (std::size_t i = 0; i < argv.size() && argv[i] != "--"; ++i) {
    const std::string_view word = argv[i];
    const bool with_value = word.starts_with(kFlag) && word.substr(kFlag.size()).starts_with('=');
    if (word != kFlag && !with_value) continue;
    const std::string_view value = with_value            ? word.substr(kFlag.size() + 1)
                                   : i + 1 < argv.size() ? argv[i + 1]
                                                         : std::string_view();
    if (value == "zh") asked = Language::Chinese;
    if (value == "en") asked = Language::English;
  }
  return asked;
}

// An answer that nobody has is none, whatever it said.
int written(int code, Output& output, Language language) {
  if (output.good()) return code;
  output.trouble(trouble_line(
      rendered({kNotWritten, {{"why", system_words(output.refused())}}}, language), language));
  return kCouldNot;
}

int answer(const std::vector<std::string>& argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is seen at the write
  const Outside outside = real_outside();
  Output output;
  Session session{outside, output};
  const auto arguments = parse_arguments(argv);
  if (!arguments) {
    const Language language = decide_language(language_in(argv), outside.environment);
    const bool named =
        !argv.empty() && argv.front() != "help" && find_command(argv.front()) != nullptr;
    const Message next = named ? Message{kTryCommand, {{"command", argv.front()}}} : Message{kTry};
    output.trouble(trouble_line(arguments.error(), language) +
                   trouble_line(rendered(next, language), language));
    return kCouldNot;
  }
  const Language language = decide_language(arguments->language(), outside.environment);
  if (arguments->version) return written(version_command(*arguments, session), output, language);
  if (arguments->command == nullptr || arguments->help) {
    const bool asked = arguments->help;
    const std::size_t width = decide_style({.language = language}, outside.environment).width;
    const std::string text = arguments->command == nullptr
                                 ? help_text(language, width)
                                 : help_text(*arguments->command, language, width);
    asked ? output.answer(text) : output.trouble(text);
    return asked ? written(kDone, output, language) : kCouldNot;
  }
  if (const auto folder = arguments->value("--data")) {
    if (auto replaced = replace_data(*folder, *outside.files); !replaced) {
      output.trouble(trouble_line(replaced.error(), language));
      return kCouldNot;
    }
  }
  return written(run_command(*arguments, session), output, language);
}

}  // namespace

int version_command(const Arguments&, Session& session) {
  session.output.answer("sextant " SEXTANT_VERSION "\n");
  return kDone;
}

int run_program(const std::vector<std::string>& argv) {
  // Not for people: the daemon starts these, each in a process of its own.
  if (argv.size() == 2 && argv.front() == "keeper") return run_keeper(argv.back());
  if (argv.size() == 2 && argv.front() == "relay") {
    const Language language = decide_language(std::nullopt, real_outside().environment);
    return run_relay(argv.back(), [language](const Error& error) {
      Output().trouble(trouble_line(error, language));
    });
  }
  // Where the memory of this process is limited, an input within our own limits may be too much.
  try {
    return answer(argv);
  } catch (const std::bad_alloc&) {
    const Language language = decide_language(language_in(argv), real_outside().environment);
    Output().trouble(trouble_line(kNoMemory.in(language), language));
    return kCouldNot;
  }
}

}  // namespace sx
