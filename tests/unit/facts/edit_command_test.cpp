// Changes of a command, and the edits of the user's text that say the same.
#include "facts/edit_command.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "base/strings.h"
#include "read/shell_words.h"

namespace sx {
namespace {

// A small reading of flags, enough for edits: what an engine's own reader fills in.
ServeSpec flags_of(const Command& command) {
  ServeSpec serve;
  const auto& words = command.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!text.starts_with('-')) {
      if (i == 2) serve.model_word = i;
      continue;
    }
    FlagUse use{.first_word = i, .word_count = 1};
    const auto equals = text.find('=');
    use.typed = text.substr(0, equals);
    use.name = replaced(use.typed, "_", "-");
    if (use.typed == "-tp") use.name = "--tensor-parallel-size";
    use.negated = use.name.starts_with("--no-");
    if (use.negated) use.name = "--" + use.name.substr(5);
    while (equals == std::string::npos && i + 1 < words.size() &&
           !words[i + 1].text.starts_with('-')) {
      use.values.push_back(words[++i].text);
      ++use.word_count;
    }
    serve.flags.push_back(use);
  }
  return serve;
}

std::string applied(std::string text, std::vector<Edit> edits) {
  std::ranges::reverse(edits);
  for (const auto& edit : edits)
    text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  return text;
}

struct Edited {
  std::string line;
  std::string text;  // after the edits; "-" when there are none
};

Edited edit(const std::string& text, const std::vector<Change>& changes, std::size_t which = 0) {
  Sources sources;
  const auto shell = parse_shell(sources, sources.add({.text = text}));
  if (!shell || shell->commands.size() <= which) return {"no command", ""};
  const Command& command = shell->commands[which];
  const auto edited = edit_command(command, flags_of(command), changes);
  return {one_line(edited.command), edited.edits.empty() ? "-" : applied(text, edited.edits)};
}

struct Scene {
  std::string text;
  std::vector<Change> changes;
  std::string line;
  std::string edited = "=";  // "=": as the line
};

class EditScene : public testing::TestWithParam<Scene> {};

TEST_P(EditScene, GivesThisLineAndThisText) {
  const auto& scene = GetParam();
  const auto result = edit(scene.text, scene.changes);
  EXPECT_EQ(result.line, scene.line);
  EXPECT_EQ(result.text, scene.edited == "=" ? scene.line : scene.edited);
}

const std::string kTp = "--tensor-parallel-size";

INSTANTIATE_TEST_SUITE_P(
    Flags, EditScene,
    testing::Values(
        Scene{"v s m -tp 6", {set_flag(kTp, "2")}, "v s m -tp 2"},
        Scene{"v s m --tensor-parallel-size=6 -x",
              {set_flag(kTp, "2")},
              "v s m --tensor-parallel-size=2 -x"},
        Scene{"v s m --tensor_parallel_size 6",
              {set_flag(kTp, "2")},
              "v s m --tensor_parallel_size 2"},
        Scene{"v s m", {set_flag(kTp, "2")}, "v s m --tensor-parallel-size 2"},
        Scene{"v s m --port", {set_flag("--port", "80")}, "v s m --port 80"},
        Scene{"v s m --l a b c --x", {set_flag("--l", "z")}, "v s m --l z --x"},
        Scene{"v s m -tp 6 --a --tensor-parallel-size=4",
              {set_flag(kTp, "2")},
              "v s m --a --tensor-parallel-size=2"},
        Scene{"v s m --j '{\"a\": 1}'", {set_flag("--j", "{\"b\": 2}")}, "v s m --j '{\"b\": 2}'"},
        Scene{"v s m \"--j=x y\"", {set_flag("--j", "z")}, "v s m --j=z"},
        Scene{"v s m --no-e", {add_switch("--e")}, "v s m --e"},
        Scene{"v s m --e", {add_switch("--e")}, "v s m --e", "-"},
        Scene{"v s m --e", {add_switch("--no-e")}, "v s m --no-e"},
        Scene{"v s m",
              {add_switch("--e"), set_flag("--f", "1"), set_flag("--f", "2")},
              "v s m --e --f 2"},
        Scene{"v s m -tp 6 --b", {remove_flag(kTp)}, "v s m --b"},
        Scene{"v s m --b -tp 6", {remove_flag(kTp), add_switch("--c")}, "v s m --b --c"},
        Scene{"v s m --no-e --b", {remove_flag("--e")}, "v s m --b"},
        Scene{"v s m --old=3 --b 1",
              {rename_flag("--old", "--new"), rename_flag("--b", "-c")},
              "v s m --new=3 -c 1"},
        Scene{"v s m -x", {set_model("n o")}, "v s 'n o' -x"},
        Scene{"vllm serve --x", {set_model("n")}, "vllm serve n --x"},
        Scene{"v --model m", {set_model("n")}, "v --model n"},
        Scene{"v s m q -x", {remove_word(3), replace_word(4, "-y")}, "v s m -y"},
        Scene{"v s m", {remove_flag("--none")}, "v s m", "-"},
        Scene{"v s m", {remove_word(77)}, "v s m", "-"}));

INSTANTIATE_TEST_SUITE_P(
    Environment, EditScene,
    testing::Values(
        Scene{"v s m", {set_environment("A", "1")}, "A=1 v s m"},
        Scene{"A=0 v s m", {set_environment("A", "x y")}, "A='x y' v s m"},
        Scene{"A=0  B=2 v s", {remove_environment("A")}, "B=2 v s"},
        Scene{"A=0 v s", {remove_environment("A"), set_environment("B", "1")}, "B=1 v s"},
        Scene{"env A=0 v s",
              {set_environment("A", "1"), set_environment("B", "2")},
              "A=1 B=2 v s",
              "env B=2 A=1 v s"},
        Scene{"nohup v s", {set_environment("A", "1")}, "A=1 v s", "A=1 nohup v s"},
        Scene{"export A=0; v s", {set_environment("A", "1")}, "A=1 v s", "export A=0; A=1 v s"},
        Scene{"export A=0; v s", {remove_environment("A")}, "v s", "-"}));

INSTANTIATE_TEST_SUITE_P(
    Scripts, EditScene,
    testing::Values(
        Scene{"v s m \\\n  -tp 6 \\\n  --b 1 # c\nx",
              {remove_flag(kTp)},
              "v s m --b 1",
              "v s m \\\n  --b 1 # c\nx"},
        Scene{"v s m \\\r\n  -tp 6 > log 2>&1 &\r\n",
              {set_flag(kTp, "2"), add_switch("--c")},
              "v s m -tp 2 --c",
              "v s m \\\r\n  -tp 2 --c > log 2>&1 &\r\n"},
        Scene{"T=6; v s m -tp $T", {set_flag(kTp, "2")}, "v s m -tp 2", "-"},
        Scene{"T=6; v s m -tp $T", {add_switch("--c")}, "v s m -tp 6 --c", "T=6; v s m -tp $T --c"},
        Scene{"C='-tp 6 --c 1'; v s m $C",
              {set_flag("--d", "2")},
              "v s m -tp 6 --c 1 --d 2",
              "C='-tp 6 --c 1'; v s m $C --d 2"},
        Scene{"C='s m --e'; v $C -x",
              {set_flag("--e", "1")},
              "v s m --e 1 -x",
              "C='s m --e'; v $C 1 -x"},
        Scene{"C='s m --e -y'; v $C -x", {set_flag("--e", "1")}, "v s m --e 1 -y -x", "-"},
        Scene{"bash -c 'v s m -tp 6'",
              {set_flag(kTp, "2"), add_switch("--c")},
              "v s m -tp 2 --c",
              "bash -c 'v s m -tp 2 --c'"},
        Scene{"bash -c 'v s m -tp 6'", {set_flag(kTp, "a b")}, "v s m -tp 'a b'", "-"},
        Scene{"bash -c \"v \\\"s\\\" m -tp 6\"", {set_flag(kTp, "2")}, "v s m -tp 2", "-"},
        Scene{"v s ~/m -tp 6", {set_flag(kTp, "2")}, "v s ~/m -tp 2"}));

TEST(EditCommand, AFlagOfASplicedFileIsOverriddenByTheCommand) {
  Sources sources;
  const auto command = command_from_argv(sources, {"v", "s", "m"});
  ServeSpec serve;
  serve.flags.push_back({.name = kTp,
                         .typed = "tensor-parallel-size",
                         .values = {"6"},
                         .first_word = 0,
                         .word_count = 0});
  const std::vector<Change> set{set_flag(kTp, "2")};
  EXPECT_EQ(one_line(edit_command(command, serve, set).command), "v s m --tensor-parallel-size 2");
  EXPECT_EQ(edit_command(command, serve, set).edits.size(), 1U);
  const std::vector<Change> removed{remove_flag(kTp), add_switch("--c")};
  EXPECT_EQ(one_line(edit_command(command, serve, removed).command), "v s m --c");
  EXPECT_TRUE(edit_command(command, serve, removed).edits.empty());
}

TEST(EditCommand, AttachedValuesAndDottedNames) {
  Sources sources;
  const auto command =
      command_from_argv(sources, {"v", "s", "m", "-tp8", "--c.a.b", "1", "--c.d", "2"});
  ServeSpec serve;
  serve.flags.push_back(
      {.name = kTp, .typed = "-tp", .values = {"8"}, .first_word = 3, .word_count = 1});
  serve.flags.push_back({.name = "--c",
                         .typed = "--c.a.b",
                         .values = {"1"},
                         .path = "a.b",
                         .first_word = 4,
                         .word_count = 2});
  serve.flags.push_back({.name = "--c",
                         .typed = "--c.d",
                         .values = {"2"},
                         .path = "d",
                         .first_word = 6,
                         .word_count = 2});
  const std::vector<Change> set{set_flag(kTp, "2"), set_flag("--c.a.b", "3")};
  EXPECT_EQ(one_line(edit_command(command, serve, set).command), "v s m -tp2 --c.a.b 3 --c.d 2");
  const std::vector<Change> removed{remove_flag("--c")};
  EXPECT_EQ(one_line(edit_command(command, serve, removed).command), "v s m -tp8");
}

template <class T>
rc::Gen<T> one_of(std::vector<T> values) {
  return rc::gen::elementOf(std::move(values));
}

const std::vector<std::string>& names() {
  static const auto* all =
      new std::vector<std::string>{"--a", "--b", "--c", "--no-a", "-tp", "--b-c"};
  return *all;
}

std::string some_text() {
  std::string text = *one_of<std::string>({"", "A=1 ", "export A=1; ", "env -u B A='x y' ",
                                           "nohup ", "V='--a 1 --b'; ", "W=(--c \"x y\")\n"});
  text += "v s m";
  for (const int kind : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12))) {
    text += *one_of<std::string>({" ", "  ", " \\\n  ", " \\\r\n\t"});
    const std::string name = *rc::gen::elementOf(names());
    const std::string value =
        *one_of<std::string>({"1", "'x y'", "\"q\"", "{}", "$'\\n'", "中", "a=b"});
    if (kind < 4) text += name + ' ' + value;
    if (kind >= 4 && kind < 7) text += name + '=' + value;
    if (kind == 7) text += "$V";
    if (kind == 8) text += "\"${W[@]}\"";
    if (kind == 9) text += "> log";
    if (kind > 9) text += name;
  }
  return text + *one_of<std::string>({"", "\n", " # c\n", " &\n", " 2>&1 | tee x"});
}

Change some_change() {
  const std::string name = *rc::gen::elementOf(names());
  const std::string value =
      *one_of<std::string>({"2", "x y", "", "it's", "a\nb", "$V", "{\"k\": 1}"});
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return set_flag(name, value);
    case 1:
      return add_switch(name);
    case 2:
      return remove_flag(name);
    case 3:
      return rename_flag(name, "--new");
    case 4:
      return set_environment(*one_of<std::string>({"A", "B"}), value);
    case 5:
      return remove_environment("A");
    case 6:
      return set_model("n");
    case 7:
      return replace_word(*rc::gen::inRange<std::size_t>(1, 9), value);
    default:
      return remove_word(*rc::gen::inRange<std::size_t>(1, 9));
  }
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings settings_of(const Command& command) {
  Settings settings;
  for (const auto& setting : command.environment)
    settings.emplace_back(setting.name, setting.value);
  std::ranges::sort(settings);
  return settings;
}

// Common names become those of the launch's engine; where it has none, there is no such change.
TEST(EditOfAnotherEngine, SpeaksItsNames) {
  Sources sources;
  const auto shell = parse_shell(
      sources, sources.add({.text = "python -m server --tp-size 4 --context-length 8192"}));
  ASSERT_TRUE(shell && shell->commands.size() == 1);
  const Command& command = shell->commands[0];
  ServeSpec serve = flags_of(command);
  serve.engine = "sglang";
  const auto line = [&](const std::vector<Change>& changes) {
    const auto edited = edit_command(command, serve, changes);
    return edited.possible ? one_line(edited.command) : "impossible";
  };
  EXPECT_EQ(line({set_flag("--tensor-parallel-size", "2")}),
            "python -m server --tp-size 2 --context-length 8192");
  EXPECT_EQ(line({remove_flag("--max-model-len")}), "python -m server --tp-size 4");
  EXPECT_EQ(line({set_flag("--max-num-seqs", "8")}),
            "python -m server --tp-size 4 --context-length 8192 --max-running-requests 8");
  EXPECT_EQ(line({add_switch("--enforce-eager")}),
            "python -m server --tp-size 4 --context-length 8192 --disable-cuda-graph");
  EXPECT_EQ(line({set_flag("--gpu-memory-utilization", "0.9")}), "impossible");  // another number
  EXPECT_EQ(line({set_flag("--swap-space", "4")}), "impossible");
  EXPECT_EQ(line({remove_flag("--swap-space")}),
            "python -m server --tp-size 4 --context-length 8192");
  EXPECT_EQ(line({set_model("org/m")}),
            "python -m server --tp-size 4 --context-length 8192 --model-path org/m");
  EXPECT_NE(serve.use_of("--max-model-len"), nullptr);
  EXPECT_EQ(serve.use_of("--max-num-seqs"), nullptr);
}

TEST(EditProperty, TheEditedTextReadsAsTheEditedCommand) {
  int edited_in_place = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string text = some_text();
    Sources sources;
    const auto before = parse_shell(sources, sources.add({.text = text}));
    RC_ASSERT(before.has_value());
    RC_PRE(!before->commands.empty() && before->commands[0].words.size() >= 3);
    const Command& command = before->commands[0];
    const std::vector<Change> changes{some_change(), some_change(), some_change()};
    const auto edited = edit_command(command, flags_of(command), changes);
    if (edited.edits.empty()) return;
    ++edited_in_place;
    const std::string after = applied(text, edited.edits);
    RC_LOG() << text << "\n=>\n" << after << "\n";
    const auto again = parse_shell(sources, sources.add({.text = after}));
    RC_ASSERT(again.has_value() && !again->commands.empty());
    const Command& found = again->commands[0];
    RC_ASSERT(found.words.size() == edited.command.words.size());
    for (std::size_t i = 0; i < found.words.size(); ++i)
      RC_ASSERT(found.words[i].text == edited.command.words[i].text);
    RC_ASSERT(settings_of(found) == settings_of(edited.command));
    RC_ASSERT(again->commands.size() == before->commands.size());
  }));
  EXPECT_GT(edited_in_place, 20);
}

}  // namespace
}  // namespace sx
