// argv → Arguments, by CLI11 filled from our table: flag objects are made only for the command that
// runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/word_order.h"

namespace sx {
namespace {

constexpr std::string_view kTakesFlags = "explain";  // its words may be an engine's flags

std::string cli11_name(const FlagSpec& flag) {
  std::string name(flag.name);
  if (!flag.short_name.empty()) name = std::string(flag.short_name) + ',' + name;
  return name;
}

// Both languages of a sentence with the nearest right spelling behind it.
Error with_nearest(std::string english, std::string chinese, std::string_view word,
                   const std::vector<std::string_view>& candidates) {
  const auto near = closest(word, candidates, 1);
  if (!near.empty()) {
    english += "; the nearest is " + near.front();
    chinese += "；最接近的是 " + near.front();
  }
  return {Error::Kind::Usage, std::move(english), std::move(chinese)};
}

std::vector<std::string_view> names_of(const std::vector<const FlagSpec*>& flags) {
  std::vector<std::string_view> names;
  for (const FlagSpec* flag : flags) names.push_back(flag->name);
  return names;
}

const FlagSpec* flag_named(const std::vector<const FlagSpec*>& flags, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const FlagSpec* flag : flags) {
    if (flag->name == name || (!flag->short_name.empty() && flag->short_name == name)) return flag;
  }
  return nullptr;
}

Result<void> check_values(const Arguments& arguments, const std::vector<const FlagSpec*>& flags) {
  for (const auto& [name, value] : arguments.flags) {
    const FlagSpec* flag = flag_named(flags, name);
    if (flag == nullptr || flag->choices.empty()) continue;
    std::vector<std::string> words;
    for (const auto choice : split(flag->choices, '|')) words.emplace_back(choice);
    if (std::ranges::find(words, value) != words.end()) continue;
    return fail(Error::Kind::Usage,
                std::string(name) + " takes one of " + join(words, ", ") + ", not '" + value + "'",
                std::string(name) + " 只能取 " + join(words, "、") + "，不能是 '" + value + "'");
  }
  return {};
}

std::string name_of(const CommandSpec* command) {
  return command == nullptr ? "sextant" : "sextant " + std::string(command->name);
}

// A deployment is named by a flag, and its name is what people write there.
Error one_too_many(const std::string& word, const CommandSpec* command) {
  const std::string where = name_of(command);
  Error error{Error::Kind::Usage, "'" + word + "' is a word too many for " + where,
              where + " 不接受多余的词 '" + word + "'"};
  const bool names =
      command != nullptr &&
      std::ranges::any_of(command->flags, [](const auto& flag) { return flag.name == "--name"; });
  if (names) {
    error.what += "; a deployment is named with --name " + word;
    error.chinese += "；部署用 --name " + word + " 指定";
  }
  return error;
}

// "keys lst": the nearest of those that it takes.
Result<void> check_first_word(const Arguments& arguments) {
  if (arguments.command == nullptr || arguments.words.empty()) return {};
  const auto choices = choices_of_word(*arguments.command);
  const std::string& word = arguments.words.front();
  if (choices.empty() || std::ranges::find(choices, word) != choices.end()) return {};
  const std::vector<std::string> all(choices.begin(), choices.end());
  const std::string name(arguments.command->name);
  return std::unexpected(
      with_nearest(name + " takes " + (all.size() == 1 ? "" : "one of ") + join(all, ", ") +
                       ", not '" + word + "'",
                   name + " 后面写 " + join(all, "、") + "，不能是 '" + word + "'", word, choices));
}

Error no_option(const std::string& word, const CommandSpec* command,
                const std::vector<const FlagSpec*>& flags) {
  const std::string where = name_of(command);
  return with_nearest(where + " has no option " + word, where + " 没有选项 " + word, word,
                      names_of(flags));
}

// A word that ends as files with launches do, for a command that reads them.
bool file_wanted(std::string_view word, const std::vector<const FlagSpec*>& flags) {
  constexpr std::array<std::string_view, 6> kEnds{".sh",   ".yaml",    ".yml",
                                                  ".json", ".service", ".txt"};
  return flag_named(flags, "-f") != nullptr &&
         std::ranges::any_of(kEnds, [&](std::string_view end) { return word.ends_with(end); });
}

// What CLI11 could not place: flags that do not exist, or words too many.
Error stray_word(const CLI::App& app, const CommandSpec* command,
                 const std::vector<const FlagSpec*>& flags) {
  const auto rest = app.remaining();
  const std::string word = rest.empty() ? "" : rest.front();
  const std::string where = name_of(command);
  if (word.starts_with('-')) return no_option(word, command, flags);
  if (command != nullptr && command->takes_command && file_wanted(word, flags)) {
    return {
        Error::Kind::Usage,
        "'" + word + "' is no option of " + where + "; a file is given with -f, as in: " + where +
            " -f " + word,
        "'" + word + "' 不是 " + where + " 的选项；文件用 -f 指定，例如：" + where + " -f " + word};
  }
  if (command != nullptr && command->takes_command) {
    return {Error::Kind::Usage,
            "'" + word + "' is no option of " + where +
                "; the launch comes after --, as in: " + where + " -- vllm serve MODEL",
            "'" + word + "' 不是 " + where + " 的选项；启动命令写在 -- 之后，例如：" + where +
                " -- vllm serve MODEL"};
  }
  return one_too_many(word, command);
}

// CLI11 begins its sentence with the flag; what it does not know how to say in our words stays as
// it is.
Error misread(const std::string& what, const std::vector<const FlagSpec*>& flags) {
  const std::string named = what.substr(0, what.find(':'));
  for (const FlagSpec* flag : flags) {
    const bool meant =
        named == flag->name || (!flag->short_name.empty() && named == flag->short_name);
    if (!meant || flag->value.empty()) continue;
    const std::string value(flag->value);
    return {Error::Kind::Usage, named + " needs a value: " + named + ' ' + value,
            named + " 需要一个值：" + named + ' ' + value};
  }
  return {Error::Kind::Usage, "the options cannot be read: " + what, "无法读取选项：" + what};
}

struct Typed {
  std::map<std::string_view, std::string> values;
  std::map<std::string_view, bool> switches;
};

void add_flags(CLI::App& app, const std::vector<const FlagSpec*>& flags, Typed& typed) {
  for (const FlagSpec* flag : flags) {
    if (flag->value.empty()) {
      app.add_flag(cli11_name(*flag), typed.switches[flag->name]);
    } else if (flag->repeats) {
      app.add_option(cli11_name(*flag))
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else {
      app.add_option(cli11_name(*flag), typed.values[flag->name])
          ->take_last()
          ->allow_extra_args(false);
    }
  }
}

// Takes the words that are no flags of ours out of `own`: what `explain` is asked about may look
// like an engine's flag.
std::vector<std::string> take_words(std::vector<std::string>& own,
                                    const std::vector<const FlagSpec*>& flags) {
  std::vector<std::string> words;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const FlagSpec* flag = flag_named(flags, own[i]);
    if (flag == nullptr) {
      words.push_back(own[i]);
      continue;
    }
    rest.push_back(own[i]);
    const bool value_follows =
        !flag->value.empty() && own[i].find('=') == std::string::npos && i + 1 < own.size();
    if (value_follows) rest.push_back(own[++i]);
  }
  own = std::move(rest);
  return words;
}

}  // namespace

std::optional<std::string> Arguments::value(std::string_view flag) const {
  for (const auto& [name, text] : flags) {
    if (name == flag) return text;
  }
  return {};
}

std::vector<std::string> Arguments::values(std::string_view flag) const {
  std::vector<std::string> all;
  for (const auto& [name, text] : flags) {
    if (name == flag) all.push_back(text);
  }
  return all;
}

bool Arguments::has(std::string_view flag) const { return value(flag).has_value(); }

std::optional<Language> Arguments::language() const {
  const auto asked = value("--lang");
  if (!asked) return {};
  return *asked == "zh" ? Language::Chinese : Language::English;
}

ColourChoice Arguments::colour() const {
  const auto asked = value("--color").value_or("auto");
  if (asked == "always") return ColourChoice::Always;
  return asked == "never" ? ColourChoice::Never : ColourChoice::Auto;
}

Result<Arguments> parse_arguments(const std::vector<std::string>& argv) {
  Arguments arguments;
  const auto dashes = std::ranges::find(argv, "--");
  arguments.has_launch = dashes != argv.end();
  if (arguments.has_launch) arguments.launch.assign(dashes + 1, argv.end());
  std::vector<std::string> own(argv.begin(), dashes);

  put_in_order(own);
  if (!own.empty() && !own.front().starts_with('-')) {
    arguments.command = find_command(own.front());
    if (arguments.command == nullptr) {
      std::vector<std::string_view> names;
      for (const CommandSpec& command : command_table()) names.push_back(command.name);
      return std::unexpected(with_nearest("there is no command '" + own.front() + "'",
                                          "没有命令 '" + own.front() + "'", own.front(), names));
    }
    own.erase(own.begin());
  }
  std::vector<const FlagSpec*> flags;
  if (arguments.command != nullptr) {
    for (const FlagSpec& flag : arguments.command->flags) flags.push_back(&flag);
  }
  for (const FlagSpec& flag : common_flags()) flags.push_back(&flag);

  Typed typed;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_flags(app, flags, typed);
  const bool words_wanted = arguments.command != nullptr && arguments.command->most_words != 0;
  if (words_wanted) arguments.words = take_words(own, flags);
  const auto most = static_cast<std::size_t>(
      arguments.command == nullptr ? 0 : std::max(arguments.command->most_words, 0));
  if (const auto strange = std::ranges::find_if(
          arguments.words, [](const std::string& word) { return word.starts_with("--"); });
      strange != arguments.words.end() && arguments.command->name != kTakesFlags)
    return std::unexpected(no_option(*strange, arguments.command, flags));
  if (most > 0 && arguments.words.size() > most)
    return std::unexpected(one_too_many(arguments.words[most], arguments.command));
  try {
    std::ranges::reverse(own);  // CLI11 takes the words last first
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(misread(error.what(), flags));
  }
  if (!app.remaining().empty()) return std::unexpected(stray_word(app, arguments.command, flags));
  for (const FlagSpec* flag : flags) {
    const auto* option = app.get_option_no_throw(std::string(flag->name));
    if (option == nullptr || option->count() == 0) continue;
    if (flag->repeats) {
      for (const std::string& value : option->results())
        arguments.flags.emplace_back(flag->name, value);
      continue;
    }
    arguments.flags.emplace_back(flag->name, flag->value.empty() ? "" : typed.values[flag->name]);
  }
  arguments.help = arguments.has("--help");
  arguments.version = arguments.has("--version");
  if (auto good = check_values(arguments, flags); !good)
    return std::unexpected(std::move(good).error());
  if (auto good = check_first_word(arguments); !good)
    return std::unexpected(std::move(good).error());
  return arguments;
}

}  // namespace sx
