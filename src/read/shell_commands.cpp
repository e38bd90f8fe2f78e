// What a command that was read does to the variables, and the form in which it is handed out.
#include <algorithm>
#include <utility>

#include "read/command_front.h"
#include "read/shell_call.h"
#include "read/shell_reader.h"

namespace sx {
namespace {

constexpr std::size_t kMostCommands = 100000;
constexpr int kDeepestText = 8;         // of bash -c in bash -c
constexpr std::size_t kMostAfter = 64;  // words kept of what a command is piped into
constexpr std::size_t kCostOfASetting = 64;

// tmux takes a whole command line as one word: new-session "vllm serve …", send-keys "…" Enter.
std::optional<std::size_t> text_of_tmux(const std::vector<Word>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].text.contains(' ')) return i;
  }
  return {};
}

}  // namespace

bool ShellReader::declares() const {
  if (pending_.command.words.empty() || !pending_.bare[0]) return false;
  const std::string_view name = pending_.command.words[0].text;
  return name == "export" || name == "declare" || name == "typeset" || name == "local" ||
         name == "readonly";
}

void ShellReader::finish() {
  if (!pending_.begun) return;
  stop_seeing_assignments();
  const bool conditional = joint_ == Joint::And || joint_ == Joint::Or;
  // A=1 alone, export A=1: what && and || decide may not happen.
  const bool sets = pending_.command.words.empty() || declares();
  if (!pending_.discarded && sets && conditional) {
    context_.variables.open(ShellVariables::Scope::Branch);
    for (const auto& name : joint_ == Joint::And ? tested_empty_ : tested_filled_) {
      context_.variables.branch_if_empty(name);
    }
  }
  if (!pending_.discarded) {
    if (pending_.command.words.empty()) {
      assign(false);
    } else if (!run_builtin()) {
      add_environment(pending_.command);
      take_front(pending_.command, LeadingAssignments::AreWords);
      if (!run_nested()) emit();
    }
  }
  if (!pending_.is_test) {
    tested_empty_.clear();
    tested_filled_.clear();
  }
  if (!pending_.discarded && sets && conditional) context_.variables.close();
  pending_ = {};
}

void ShellReader::assign(bool exported) {
  for (auto& assignment : pending_.assignments) {
    if (assignment.append) {
      context_.variables.append(assignment.name, std::move(assignment.variable));
      if (exported) context_.variables.make_exported(assignment.name);
    } else {
      assignment.variable.exported = exported;
      context_.variables.set(assignment.name, std::move(assignment.variable));
    }
  }
}

// Commands that change what later ones see. True: it is no command that anyone could launch.
bool ShellReader::run_builtin() {
  const auto& words = pending_.command.words;
  const std::string& name = words[0].text;
  if (declares()) {
    run_declaration();
    return true;
  }
  if (name == "[" || name == "test") {
    pending_.is_test = true;
    const Span& span = pending_.command.span;
    remember_test(part_.fixed ? std::string_view()
                              : part_.text.substr(span.begin, span.end - span.begin));
    return true;
  }
  // NAME[1]=x: an element alone is not followed.
  const auto bracket = name.find('[');
  if (bracket != std::string::npos && bracket > 0 &&
      name.find("]=", bracket) != std::string::npos) {
    context_.variables.set(name.substr(0, bracket), {.array = true, .unknown = true});
    return true;
  }
  if (name == "unset") {
    for (std::size_t i = 1; i < words.size(); ++i) context_.variables.unset(words[i].text);
  } else if (name == "read" || name == "mapfile" || name == "readarray") {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!words[i].text.starts_with('-')) context_.variables.set(words[i].text, {.unknown = true});
    }
  } else if (name == "set") {
    run_set();
  } else if (name == "shift") {
    forget_positional(context_.variables);
  } else if (name != ":" && name != "true" && name != "source" && name != ".") {
    return false;
  }
  return true;
}

void ShellReader::run_declaration() {
  const auto& words = pending_.command.words;
  bool exports = words[0].text == "export";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view option = words[i].text;
    if (option.starts_with('-'))
      exports = option.contains('x') || (exports && !option.contains('n'));
  }
  assign(exports);
  for (std::size_t i = 1; i < words.size() && exports; ++i) {
    const std::string& text = words[i].text;
    if (text.starts_with('-')) continue;
    const auto length = assigned_name_length(text);
    if (!length) {
      context_.variables.make_exported(text);
      continue;
    }
    ShellValue value;  // export "A=b": the quotes hide that it is an assignment
    add_piece(value, std::string_view(text).substr(*length + 1), words[i].complete);
    context_.variables.set(text.substr(0, *length), {.elements = {std::move(value)},
                                                     .exported = true,
                                                     .span = words[i].span,
                                                     .literal = words[i].literal});
  }
}

void ShellReader::run_set() {
  const auto& words = pending_.command.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view option = words[i].text;
    const bool long_form =
        option == "allexport" && (words[i - 1].text == "-o" || words[i - 1].text == "+o");
    const bool short_form =
        option.size() > 1 && option[0] == '-' && option[1] != '-' && option.contains('a');
    if (long_form) context_.variables.export_everything(words[i - 1].text == "-o");
    if (short_form) context_.variables.export_everything(true);
    if (option == "+a") context_.variables.export_everything(false);
    const bool is_name_of_option = i > 1 && words[i - 1].text.size() > 1 &&
                                   std::string_view("-+").contains(words[i - 1].text[0]) &&
                                   words[i - 1].text.ends_with('o');
    const bool is_option = option.starts_with('-') || option.starts_with('+') || is_name_of_option;
    if (option == "--" || !is_option) return set_positional(option == "--" ? i + 1 : i);
  }
}

// set -- A B: what "$@" stands for from here on. Within braces it may be a function's own.
void ShellReader::set_positional(std::size_t first) {
  if (braces_ > 0) return forget_positional(context_.variables);
  const auto& words = pending_.command.words;
  ShellVariable all{.array = true};
  for (std::size_t i = first; i < words.size(); ++i) {
    if (!context_.budget.spend(words[i].text.size() + sizeof(ShellPiece))) return;
    all.elements.push_back({{.text = words[i].text, .complete = words[i].complete}});
  }
  context_.variables.set(kPositional, std::move(all));
}

// bash -c "…", eval "…" and tmux new "…": their text is read as shell in its turn.
bool ShellReader::run_nested() {
  const auto& words = pending_.command.words;
  const auto name = program_name(words[0].text);
  if (name == "eval" && words.size() > 1) return run_text(1, words.size() - 1, Variables::Shared);
  if (!is_shell(name) && name != "tmux") return false;
  const auto text = name == "tmux" ? text_of_tmux(words) : shell_text_at(words);
  if (!text) return false;
  return run_text(*text, *text, Variables::Forgotten);
}

// The text of the words [first, last]: where it stands, when it stands there as it is; `joined`
// otherwise.
ShellPart ShellReader::part_of(std::size_t first, std::size_t last, std::string_view joined,
                               std::size_t& begin) const {
  const auto& words = pending_.command.words;
  const Span& span = words[first].span;
  begin = 0;
  const ShellPart derived{.text = joined,
                          .source = part_.source,
                          .fixed = Span{span.source, span.begin, words[last].span.end},
                          .written = Command::Text::Derived};
  if (part_.fixed || first != last) return derived;
  const std::string_view raw = part_.text.substr(span.begin, span.end - span.begin);
  const char quote = raw.empty() ? '\0' : raw[0];
  if (raw.size() < 2 || (quote != '\'' && quote != '"') || raw.back() != quote) return derived;
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  // "$CMD" is a text that stands elsewhere; one with a variable in the middle reads the same here.
  const bool as_written = quote == '\'' ? !inside.contains('\'')
                                        : inside.find_first_of("\"\\`") == std::string_view::npos &&
                                              !inside.starts_with('$');
  if (!as_written) return derived;
  begin = span.begin + 1;
  return {.text = part_.text.substr(0, span.end - 1),
          .source = part_.source,
          .written = Command::Text::InsideQuotes};
}

// Reads the words [first, last], joined, as shell text. False: there is no command in it.
bool ShellReader::run_text(std::size_t first, std::size_t last, Variables variables) {
  if (context_.depth >= kDeepestText) {
    context_.note(ShellNote::Kind::TooDeep, pending_.command.span);
    return false;
  }
  const Command& outer = pending_.command;
  std::string joined;
  for (std::size_t i = first; i <= last; ++i) {
    if (i > first) joined += ' ';
    joined += outer.words[i].text;
  }
  if (!context_.budget.spend(joined.size())) return false;
  std::size_t begin = 0;
  const ShellPart part = part_of(first, last, joined, begin);
  std::vector<Setting> inherited = inherited_;
  for (auto setting : outer.environment) {
    if (!std::exchange(setting.prefix, false)) continue;
    inherited.push_back(std::move(setting));
  }
  auto& found = context_.out.commands;
  const std::size_t before = found.size();
  ++context_.depth;
  if (variables == Variables::Forgotten) {
    context_.variables.open(ShellVariables::Scope::Subshell);
    // bash -c 'exec "$@"' name vllm serve m: behind the text comes $0, and then $1.
    set_positional(std::min(last + 2, outer.words.size()));
    if (!is_shell(outer.words[0].text)) forget_positional(context_.variables);
  }
  ShellReader reader(context_, part, begin, std::move(inherited));
  reader.line_ = line_;
  reader.line_at_ = line_at_;
  reader.read();
  if (variables == Variables::Forgotten) context_.variables.close();
  --context_.depth;
  if (found.size() == before + 1) {
    Command& only = found.back();
    auto front = outer.before;
    for (std::size_t i = 0; i < first; ++i) front.push_back(outer.words[i].text);
    only.before.insert(only.before.begin(), front.begin(), front.end());
    only.outside += front.size();
    only.assign_at += front.size();
    only.after.insert(only.after.end(), outer.after.begin(), outer.after.end());
  }
  return found.size() > before;
}

void ShellReader::add_environment(Command& command) {
  if (!context_.budget.spend(inherited_.size() * kCostOfASetting)) return;
  std::vector<Setting> settings = inherited_;
  for (const auto& name : context_.variables.exported()) {
    const ShellVariable* variable = context_.variables.find(name);
    if (!context_.budget.spend(kCostOfASetting)) return;
    if (variable == nullptr || !variable->exported) continue;
    Setting setting{
        .name = name, .span = variable->span, .literal = variable->literal, .prefix = false};
    setting.complete = !variable->unknown;
    if (!variable->elements.empty() && !variable->unknown) {
      setting.value = text_of(variable->elements[0]);
      setting.complete = is_complete(variable->elements[0]);
    }
    if (!context_.budget.spend(setting.value.size())) return;
    settings.push_back(std::move(setting));
  }
  command.environment.insert(command.environment.begin(), settings.begin(), settings.end());
}

void ShellReader::add_to_pipeline(const Command& command) {
  auto& commands = context_.out.commands;
  if (joint_ != Joint::Pipe || !in_pipeline_) {
    pipeline_head_ = commands.size();
    in_pipeline_ = true;
    return;
  }
  auto& after = commands[pipeline_head_].after;
  if (after.size() >= kMostAfter) return;
  after.emplace_back("|");
  for (const auto* list : {&command.before, &command.after}) {
    if (list == &command.after) {
      for (const auto& word : command.words) {
        if (after.size() < kMostAfter) after.push_back(word.text);
      }
    }
    for (const auto& text : *list) {
      if (after.size() < kMostAfter) after.push_back(text);
    }
  }
}

void ShellReader::emit() {
  if (context_.out.commands.size() == kMostCommands) {
    context_.too_many = true;
    context_.too_many_what = {"there are more than 100000 commands", "命令超过 100000 条"};
    return;
  }
  Command& command = pending_.command;
  if (pending_.bare[0] && command.words[0].text.starts_with('-') && command.before.empty()) {
    context_.note(ShellNote::Kind::LooseFlags, command.span);
  }
  add_to_pipeline(command);
  context_.out.commands.push_back(std::move(command));
}

int ShellReader::line_of(std::size_t at) {
  if (part_.fixed) return line_;
  const std::string_view text = part_.text;
  for (; line_at_ < at && line_at_ < text.size(); ++line_at_) {
    const bool ends =
        text[line_at_] == '\n' ||
        (text[line_at_] == '\r' && (line_at_ + 1 >= text.size() || text[line_at_ + 1] != '\n'));
    if (ends) ++line_;
  }
  return line_;
}

}  // namespace sx
