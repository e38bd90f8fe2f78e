// Commands in JSON: a list of words, objects with "command" and "args", objects of flags, and what
// `docker inspect` prints. Whatever else the text holds is walked through, within bounds.
#include <algorithm>

#include "base/strings.h"
#include "facts/container_line.h"
#include "gather/argument_map.h"
#include "gather/command_text.h"
#include "gather/docker_inspect.h"
#include "gather/json_words.h"
#include "read/command_front.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr std::size_t kMostNodes = 200'000;  // of a document that holds launches
constexpr std::size_t kMostCommands = 1000;
constexpr int kDeepest = 32;

class Walk {
 public:
  Walk(const Sources& sources, int source) : sources_(sources), source_(source) {}

  void visit(const JsonValue& value, int depth);
  ReadCommands read;

 private:
  bool take_object(const JsonValue& value);
  bool take_arguments(const JsonValue& value);
  void take_words(const JsonValue& value);
  void place(Command base, ContainerWords words, const Surroundings& around);

  const Sources& sources_;
  int source_;
};

bool all_texts(const JsonValue& list) {
  if (!list.is(JsonKind::Array) || list.size() == 0) return false;
  for (auto item = list.first(); item; item = item.next()) {
    if (!item.is(JsonKind::String) && !item.is(JsonKind::Number)) return false;
  }
  return true;
}

// The first member of one of these names that there is.
JsonValue any_of(const JsonValue& object, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (const auto value = object[name]; value && !value.is(JsonKind::Null)) return value;
  }
  return {};
}

void Walk::place(Command base, ContainerWords words, const Surroundings& around) {
  for (auto& one :
       commands_in_container(sources_, std::move(base), std::move(words), around, read.notes)) {
    if (read.commands.size() < kMostCommands) read.commands.push_back(std::move(one));
  }
}

void Walk::take_words(const JsonValue& value) {
  ContainerWords words;
  words.arguments = json_words(value, source_);
  Command base = json_base(sources_, value, source_);
  base.new_setting.kind = NewSetting::Kind::Nowhere;
  if (words.arguments.empty()) return;
  const bool starts_container = container_line(words.arguments).has_value();
  if (!starts_container) return place(std::move(base), std::move(words), {});
  base.words = std::move(words.arguments);
  for (auto& one : placed_commands(sources_, std::move(base), read.notes))
    read.commands.push_back(std::move(one));
}

// An object whose members are the flags of a launch.
bool Walk::take_arguments(const JsonValue& value) {
  auto command = command_of_arguments(sources_, source_, value);
  if (!command) return false;
  if (read.commands.size() < kMostCommands)
    read.commands.push_back({.command = *std::move(command), .around = {}});
  return true;
}

// An object that says what to run. False: it says nothing of the kind itself.
bool Walk::take_object(const JsonValue& value) {
  if (is_inspected_container(value)) {
    InspectedContainer container = inspected_container(sources_, value, source_);
    place(std::move(container.base), std::move(container.words), container.around);
    return true;
  }
  const JsonValue command = any_of(value, {"command", "cmd", "argv", "Cmd"});
  const JsonValue args = any_of(value, {"args", "arguments", "Args"});
  const JsonValue entrypoint = any_of(value, {"entrypoint", "Entrypoint", "program"});
  const JsonValue image = any_of(value, {"image", "Image"});
  const auto says = [](const JsonValue& words) {
    return words && (words.is(JsonKind::String) || all_texts(words));
  };
  if (!says(command) && !says(args)) return take_arguments(value);

  Surroundings around;
  if (image.is(JsonKind::String)) {
    around.kind = Surroundings::Kind::Docker;
    around.image = {image.string().value_or(""), Origin::Config, image.span(source_)};
  }
  Command base = json_base(sources_, says(command) ? command : args, source_);
  take_json_environment(any_of(value, {"env", "environment", "Env"}), source_, base);
  ContainerWords words;
  if (says(entrypoint)) words.entrypoint = json_words(entrypoint, source_);
  // With "args" beside it, "command" is the program, in one word or several.
  std::vector<Word> first;
  if (says(command)) first = json_words(command, source_);
  if (says(args)) {
    words.arguments = json_words(args, source_);
    words.arguments.insert(words.arguments.begin(), first.begin(), first.end());
  } else if (command.is(JsonKind::String)) {
    // A whole line in one text: a shell reads it.
    auto shell = json_line(sources_, command, source_, base.environment);
    read.notes.insert(read.notes.end(), shell.notes.begin(), shell.notes.end());
    for (auto& one : shell.commands) {
      for (auto& placed : placed_commands(sources_, std::move(one), read.notes)) {
        if (placed.around.kind == Surroundings::Kind::Bare) placed.around = around;
        if (read.commands.size() < kMostCommands) read.commands.push_back(std::move(placed));
      }
    }
    return true;
  } else {
    words.arguments = std::move(first);
  }
  place(std::move(base), std::move(words), around);
  return true;
}

void Walk::visit(const JsonValue& value, int depth) {
  if (depth > kDeepest || read.commands.size() >= kMostCommands) return;
  if (all_texts(value)) return take_words(value);
  if (value.is(JsonKind::Object) && take_object(value)) return;
  if (!value.is(JsonKind::Object) && !value.is(JsonKind::Array)) return;
  for (auto item = value.first(); item; item = item.next()) visit(item, depth + 1);
}

}  // namespace

Result<ReadCommands> read_json_text(const Sources& sources, int source) {
  SX_TRY(const auto document, JsonDocument::parse(sources.at(source).text, kMostNodes));
  Walk walk(sources, source);
  walk.visit(document.root(), 0);
  return std::move(walk.read);
}

}  // namespace sx
