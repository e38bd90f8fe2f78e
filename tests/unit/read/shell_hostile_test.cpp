// Texts that want to hurt: huge, deep, endless, cut anywhere. Each must end soon and keep the
// promises about places.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <ctime>

#include "read/shell_words.h"

namespace sx {
namespace {

constexpr double kSoonSeconds =
    15;  // of this process: sanitizers are slow, and a quadratic reader takes minutes

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Hostile {
  std::string name;
  std::string text;
};

class HostileShell : public testing::TestWithParam<Hostile> {};

// Every literal word reads the same from its bytes alone, and every span lies in the text.
void places_hold(const Sources& sources, const ShellText& shell, std::size_t most) {
  for (const auto& command : shell.commands) {
    const std::size_t size = sources.at(command.source).text.size();
    ASSERT_LE(command.span.begin, command.span.end);
    ASSERT_LE(command.span.end, size);
    ASSERT_LE(command.environment_at, size);
    for (const auto& word : command.words) {
      ASSERT_LE(word.span.begin, word.span.end);
      ASSERT_LE(word.span.end, size);
      ASSERT_LE(word.blank, word.span.begin);
      if (!word.literal || most-- == 0) continue;
      Sources alone;
      const int source = alone.add({.text = "x " + std::string(sources.text(word.span))});
      const auto again = parse_shell(alone, source);
      ASSERT_TRUE(again.has_value());
      ASSERT_EQ(again->commands.size(), 1U) << sources.text(word.span);
      ASSERT_EQ(again->commands[0].words.size(), 2U) << sources.text(word.span);
      ASSERT_EQ(again->commands[0].words[1].text, word.text);
    }
  }
}

TEST_P(HostileShell, EndsSoonAndKeepsItsPlaces) {
  Sources sources;
  const int source = sources.add({.name = "x.sh", .text = GetParam().text});
  const std::clock_t begin = std::clock();
  const auto shell = parse_shell(sources, source);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSoonSeconds);
  if (!shell) {
    EXPECT_EQ(shell.error().kind, Error::Kind::TooLarge) << shell.error().what;
    return;
  }
  EXPECT_LE(shell->commands.size(), 100000U);
  EXPECT_LE(shell->notes.size(), 1000U);
  places_hold(sources, *shell, 200);
}

std::string variables_that_double() {
  std::string text = "A0=xxxxxxxxxxxxxxxx\n";
  for (int i = 1; i < 200; ++i) {
    const auto before = "$A" + std::to_string(i - 1);
    text += "A" + std::to_string(i) + "=\"" + before + ' ' + before + "\"\n";
  }
  return text + "vllm $A199 \"$A199\"\n";
}

std::string many_exports() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "export A" + std::to_string(i) + "=1\nx\n";
  return text;
}

std::string big_script() {
  std::string text = "cat > x <<EOF\n" + repeated("vllm serve nothing --here '\n", 20000) + "EOF\n";
  text += repeated("# 注释 it's a comment with $( and \" in it\n", 6000);
  text += "vllm serve m \\\n" + repeated("  --flag 'a value' \\\n", 5000) + "  --end\n";
  return text + repeated("echo \"$HOME\" ${X:-1} > /dev/null 2>&1\n", 2000);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, HostileShell,
    testing::Values(
        Hostile{"quotes", std::string(1U << 20U, '\'')},
        Hostile{"double_quotes", std::string(1U << 20U, '"')},
        Hostile{"one_open_quote", "a '" + std::string(1U << 20U, 'x')},
        Hostile{"backslashes", std::string(1U << 20U, '\\')},
        Hostile{"dollars", std::string(1U << 20U, '$')},
        Hostile{"backticks", std::string((1U << 20U) + 1, '`')},
        Hostile{"nested_substitutions", repeated("$(", 100000)},
        Hostile{"closed_substitutions", repeated("$(", 100000) + repeated(")", 100000)},
        Hostile{"many_substitutions", "a " + repeated("$(x) ", 60000)},
        Hostile{"nested_braces", "a " + repeated("${A:-", 100000)},
        Hostile{"closed_braces", "a " + repeated("${A:-", 100000) + repeated("}", 100000)},
        Hostile{"quoted_braces", "a " + repeated("\"${A:-", 100000)},
        Hostile{"subshells", repeated("(", 1000000) + "A=1\n" + repeated(")", 1000000)},
        Hostile{"ifs", repeated("if A=1; then B=2; ", 10000) + repeated("fi;", 10000)},
        Hostile{"cases", repeated("case x in ", 20000)},
        Hostile{"case_patterns", "case x in " + repeated("a) A=1 B=2;; ", 10000) + "esac"},
        Hostile{"arithmetic", "a " + repeated("$((1+", 100000)},
        Hostile{"doubling", variables_that_double()},
        Hostile{"self", repeated("A=\"$A $A\"\n", 5000)},
        Hostile{"appending", repeated("A+=\" --x 1\"\n", 20000) + "vllm $A"},
        Hostile{"append_in_branches", repeated("if x; then A+=(--x 1); fi\n", 10000)},
        Hostile{"exports", many_exports()}, Hostile{"words_70000", repeated("a ", 70000)},
        Hostile{"words_60000", repeated("a ", 60000)},
        Hostile{"words_of_a_variable", "A='" + repeated("a ", 70000) + "'\nx $A"},
        Hostile{"assignments", repeated("A=1 ", 70000)},
        Hostile{"commands", repeated("a\n", 100001)}, Hostile{"pipes", repeated("a|", 20000)},
        Hostile{"here_documents", repeated("a <<E ", 10000)},
        Hostile{"here_documents_open", repeated("a <<E\n", 50000)},
        Hostile{"wrappers", repeated("nice ", 60000)},
        Hostile{"envs", repeated("env A=1 ", 30000) + "x"},
        Hostile{"bash_c", repeated("bash -c '", 50000)},
        Hostile{"bash_c_double", repeated("bash -c \"", 50000)},
        Hostile{"evals",
                "A='" + std::string(100000, 'x') + "'\n" + repeated("eval \"$A\"\n", 5000)},
        Hostile{"eval_self", "A='eval \"$A\"'\neval \"$A\""},
        Hostile{"long_word", std::string(3U << 20U, 'x')},
        Hostile{"redirections", "a " + repeated(">", 500000)},
        Hostile{"ampersands", std::string(500000, '&')},
        Hostile{"carriage_returns", std::string(1U << 20U, '\r')},
        Hostile{"brackets", repeated("a[", 200000)}, Hostile{"tests", repeated("[[ ", 200000)},
        Hostile{"big_script", big_script()}),
    [](const auto& instance) { return instance.param.name; });

TEST(ShellLimits, MoreWordsThanAllowedIsAnErrorThatSaysSo) {
  Sources sources;
  const auto shell =
      parse_shell(sources, sources.add({.name = "x.sh", .text = repeated("a ", 70000)}));
  ASSERT_FALSE(shell.has_value());
  EXPECT_EQ(shell.error().what, "x.sh is too large to read: a command has more than 65536 words");
}

TEST(ShellLimits, AWordThatIsTooLongIsCutAndIncomplete) {
  Sources sources;
  const auto shell =
      parse_shell(sources, sources.add({.text = "a " + std::string(2U << 20U, 'x')}));
  ASSERT_TRUE(shell.has_value());
  const auto& word = shell->commands.at(0).words.at(1);
  EXPECT_EQ(word.text.size(), std::size_t{1} << 20U);
  EXPECT_FALSE(word.complete);
  EXPECT_FALSE(word.literal);
}

TEST(ShellCut, EveryPrefixOfAScriptIsRead) {
  const std::string script =
      "\xEF\xBB\xBF#!/bin/bash\r\nA=(--a \"b c\" $(x) # 注\n)\nexport B=${C:-'d e'}\nif [ -z "
      "\"$B\" ]; then\n"
      "env X=1 bash -c \"vllm serve 模型 --x $'\\t' \\\n --y\" 2>&1 | tee <<EOF >(z)\nq\nEOF\nfi; "
      "case $1 in a) v ${A[@]%x};; esac\n"
      "f() { vllm $((1+2)) `y` \"${A[@]}\" ~/x & }; for i in 1; do [[ a < b ]]; done\n";
  for (std::size_t length = 0; length <= script.size(); ++length) {
    Sources sources;
    const auto shell = parse_shell(sources, sources.add({.text = script.substr(0, length)}));
    ASSERT_TRUE(shell.has_value()) << length;
    places_hold(sources, *shell, 100);
  }
}

const std::vector<std::string>& crumbs() {
  static const auto* all = new std::vector<std::string>{
      "a",    "vllm", " ",     " ",        "\n",        "\r\n", "\\\n",    "'",
      "\"",   "\\",   "$",     "${",       "}",         "$(",   ")",       "(",
      "`",    "A=",   "A",     "$A",       "${A[@]}",   "A=(",  "+=",      ";",
      ";;",   "&",    "&&",    "|",        "<",         ">",    "<<E\n",   "E\n",
      "#",    "if ",  "then ", "fi",       "for x in ", "do ",  "done",    "case x in ",
      "esac", "[[ ",  " ]]",   "bash -c ", "eval ",     "env ", "export ", "=",
      "中",   "\xC4", "1",     "~",        "$'",        "$((",  "{",       "!"};
  return *all;
}

TEST(ShellProperty, AnyTextEndsAndItsLiteralWordsStandWhereTheySay) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(crumbs()));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    Sources sources;
    const auto shell = parse_shell(sources, sources.add({.text = text}));
    RC_ASSERT(shell.has_value());
    places_hold(sources, *shell, 100);
    RC_ASSERT(!testing::Test::HasFatalFailure());
  }));
}

TEST(ShellProperty, QuotedWordsAreReadBack) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& given) {
    std::vector<std::string> argv{"x"};
    for (auto word : given) {
      std::erase(word, '\0');  // no argument holds one
      argv.push_back(word);
    }
    Sources sources;
    const auto command = command_from_argv(sources, argv);
    const auto shell = parse_shell(sources, command.source);
    RC_ASSERT(shell.has_value());
    RC_ASSERT(shell->commands.size() == 1U);
    const auto& words = shell->commands[0].words;
    RC_ASSERT(words.size() == argv.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      RC_ASSERT(words[i].text == argv[i]);
      RC_ASSERT(words[i].span == command.words[i].span);
      RC_ASSERT(words[i].blank == command.words[i].blank);
    }
    const auto line = parse_shell(sources, sources.add({.text = one_line(command)}));
    RC_ASSERT(line.has_value() && line->commands.size() == 1U);
    RC_ASSERT(line->commands[0].words.size() == words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      RC_ASSERT(line->commands[0].words[i].text == argv[i]);
  }));
}

}  // namespace
}  // namespace sx
