// Whose names they are decides which engine is meant; each member becomes one word, so that an edit
// of the word is an edit of the member.
#include "gather/argument_map.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "engines/engine.h"
#include "gather/json_words.h"
#include "knowledge/flags.h"
#include "read/yaml_json.h"

namespace sx {
namespace {

constexpr std::size_t kMostMembers = 1000;  // an engine has a few hundred flags

enum class MemberKind { Nothing, True, False, Value, List };

struct Member {
  std::string name;  // with dashes: "tensor-parallel-size"
  MemberKind kind = MemberKind::Nothing;
  std::string text;  // of a value
  std::vector<std::string> items;
  Span whole, value;
  bool in_place = true;  // the value stands behind its name, and is no alias of another place
};

constexpr std::array<std::string_view, 4> kModelNames{"model", "model-path", "model-tag",
                                                      "model-name-or-path"};
// Of a request to a server, which names a model and perhaps a seed.
constexpr std::array<std::string_view, 3> kRequestNames{"messages", "prompt", "input"};
// Names that say something of the launch and are no flags.
constexpr std::array<std::string_view, 2> kEnvironmentNames{"env", "environment"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Without the line ends and blanks that only lay it out.
std::string on_one_line(std::string_view json) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\n' || c == '\r' || c == '\t' || c == ' ')) continue;
    out += c;
  }
  return out;
}

std::string text_of(const JsonValue& value) {
  if (auto text = value.string()) return *std::move(text);
  return on_one_line(value.raw());
}

Member member_of(const JsonValue& value, int source) {
  Member member{.name = replaced(value.key(), "_", "-"),
                .whole = value.member_span(source),
                .value = value.span(source)};
  switch (value.kind()) {
    case JsonKind::Null:
      break;
    case JsonKind::Bool:
      member.kind = value.boolean() == true ? MemberKind::True : MemberKind::False;
      break;
    case JsonKind::Array:
      member.kind = MemberKind::List;
      for (auto item = value.first(); item && member.items.size() < kMostMembers;
           item = item.next())
        member.items.push_back(text_of(item));
      break;
    case JsonKind::Number:
    case JsonKind::String:
    case JsonKind::Object:
      member.kind = MemberKind::Value;
      member.text = text_of(value);
      break;
  }
  return member;
}

Member member_of(const YamlMember& from) {
  const YamlNode& node = from.value;
  const Span key = node.key_span;
  Member member{.name = replaced(from.key, "_", "-"),
                .whole = {key.source, key.begin, std::max(key.end, node.span.end)},
                .value = node.span,
                .in_place = node.span.begin >= key.end};
  const bool scalar = node.kind == YamlNode::Kind::Scalar;
  if (node.kind == YamlNode::Kind::List) {
    member.kind = MemberKind::List;
    for (const YamlNode& item : node.items) member.items.push_back(item.text);
  } else if (scalar && node.type == YamlNode::Type::Bool) {
    member.kind = node.boolean() == true ? MemberKind::True : MemberKind::False;
  } else if (node.kind == YamlNode::Kind::Map || (scalar && node.type != YamlNode::Type::Null)) {
    member.kind = MemberKind::Value;
    member.text = scalar ? node.text : json_of(node);
  }
  return member;
}

struct Chosen {
  const Engine* engine = nullptr;
  const EngineFlags* flags = nullptr;
  std::size_t known = 0;
};

// The engine whose flags most of the names are; the first in the list where two are equal.
Chosen chosen_engine(const std::vector<Member>& members) {
  Chosen best;
  for (const Engine* engine : all_engines()) {
    const EngineFlags* flags = engine_flags(engine->name);
    // One that takes no --flag=value has no such files.
    if (flags == nullptr || !engine->server.contains("MODEL")) continue;
    std::size_t known = 0;
    for (const Member& member : members) {
      if (flags->find("--" + member.name) != nullptr) ++known;
    }
    if (known > best.known) best = {.engine = engine, .flags = flags, .known = known};
  }
  return best;
}

class Writer {
 public:
  Writer(Command command, Quoting quoting, std::string lead)
      : command_(std::move(command)), quoting_(quoting), lead_(std::move(lead)) {}

  void program(std::string_view text) {
    Word word{.text = std::string(text), .literal = false};
    command_.words.push_back(std::move(word));
    command_.implied = command_.words.size();
  }

  // `behind` is where the member in front of it ends; at the beginning of the list nothing.
  void add(std::string text, Span span, std::optional<std::size_t> behind, bool literal = true) {
    Word word{.text = std::move(text),
              .span = span,
              .literal = literal,
              .quoting = quoting_,
              .lead = lead_};
    if (behind && *behind < span.begin) word.blank = span.begin - *behind;
    if (const auto length = word.text.find('\0'); length != std::string::npos)
      word.text.resize(length);
    command_.words.push_back(std::move(word));
  }

  Command take() { return std::move(command_); }

 private:
  Command command_;
  Quoting quoting_;
  std::string lead_;
};

void add_member(Writer& writer, const Member& member, const EngineFlags& flags,
                std::optional<std::size_t> behind) {
  const std::string flag = "--" + member.name;
  const FlagRow* row = flags.find(flag);
  switch (member.kind) {
    case MemberKind::Nothing:
      return;
    case MemberKind::True:
      return writer.add(flag, member.whole, behind, member.in_place);
    case MemberKind::False:
      // What is off without a word needs none.
      if (row != nullptr && row->negatable && row->default_text != "False")
        writer.add("--no-" + member.name, member.whole, behind);
      return;
    case MemberKind::Value:
      return writer.add(flag + '=' + member.text, member.whole, behind, member.in_place);
    case MemberKind::List:
      if (member.items.empty()) return;
      writer.add(flag, member.whole, behind, false);
      for (const std::string& item : member.items) writer.add(item, member.whole, {}, false);
      return;
  }
}

// "vllm serve MODEL", "sglang serve --model-path MODEL".
void add_program(Writer& writer, const Engine& engine, const Member& model,
                 std::optional<std::size_t> behind) {
  std::string flag;
  for (const std::string_view word : split(engine.server, ' ')) {
    if (word == "MODEL") {
      if (flag.empty()) {
        writer.add(model.text, model.value, behind, model.in_place);
      } else {
        writer.add(flag + '=' + model.text, model.whole, behind, model.in_place);
      }
      return;
    }
    if (word.starts_with("--")) {
      flag = word;
    } else {
      writer.program(word);
    }
  }
}

// The members in order, the model first, as the command wants it.
std::optional<Command> command_of(const std::vector<Member>& members, Command base, Quoting quoting,
                                  const std::string& lead) {
  const auto model = std::ranges::find_if(members, [](const Member& member) {
    return member.kind == MemberKind::Value && is_one_of(member.name, kModelNames);
  });
  if (model == members.end() || members.size() > kMostMembers) return {};
  const bool request = std::ranges::any_of(
      members, [](const Member& member) { return is_one_of(member.name, kRequestNames); });
  if (request) return {};
  const Chosen chosen = chosen_engine(members);
  const auto flags = static_cast<std::size_t>(std::ranges::count_if(
      members, [](const Member& member) { return !is_one_of(member.name, kEnvironmentNames); }));
  if (chosen.engine == nullptr || chosen.known < 2 || 2 * chosen.known < flags) return {};
  base.line = base.line > 0 ? base.line : 1;
  Writer writer(std::move(base), quoting, lead);
  const auto behind = [&](std::size_t at) {
    return at == 0 ? std::nullopt : std::optional(members[at - 1].whole.end);
  };
  add_program(writer, *chosen.engine, *model,
              behind(static_cast<std::size_t>(model - members.begin())));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool said =
        members[i].whole == model->whole || is_one_of(members[i].name, kEnvironmentNames);
    if (!said) add_member(writer, members[i], *chosen.flags, behind(i));
  }
  return writer.take();
}

}  // namespace

std::optional<Command> command_of_arguments(const Sources& sources, int source,
                                            const JsonValue& object) {
  if (!object.is(JsonKind::Object) || object.size() > kMostMembers) return {};
  std::vector<Member> members;
  for (auto value = object.first(); value; value = value.next())
    members.push_back(member_of(value, source));
  // Between two members stands what belongs between any two of them.
  std::string lead = ", ";
  if (members.size() > 1) {
    const std::string_view text = sources.at(source).text;
    const std::size_t from = members[0].whole.end;
    const std::string_view between = text.substr(from, members[1].whole.begin - from);
    if (!between.contains('/')) lead = between;  // no comment is written a second time
  }
  Command base = json_base(sources, object, source);
  for (const std::string_view name : kEnvironmentNames)
    take_json_environment(object[name], source, base);
  return command_of(members, std::move(base), Quoting::JsonMember, lead);
}

std::optional<Command> command_of_arguments(const Sources& sources, int source,
                                            const YamlNode& map) {
  if (map.kind != YamlNode::Kind::Map || map.members.size() > kMostMembers) return {};
  std::vector<Member> members;
  for (const YamlMember& member : map.members) members.push_back(member_of(member));
  if (members.empty()) return {};
  const std::size_t begin = members.front().whole.begin;
  Command base{.source = source, .span = {source, begin, members.back().whole.end}};
  base.line = place_of(sources.at(source), begin).line;
  base.new_setting.kind = NewSetting::Kind::Nowhere;
  const std::string indentation(
      static_cast<std::size_t>(place_of(sources.at(source), begin).column - 1), ' ');
  return command_of(members, std::move(base), Quoting::YamlMember, "\n" + indentation);
}

}  // namespace sx
