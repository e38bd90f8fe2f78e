// Words quoted for a shell, and commands made of argv.
#include <gtest/gtest.h>

#include "read/shell_words.h"

namespace sx {
namespace {

struct Quoting {
  std::string word;
  std::string text;
};

class QuotedWord : public testing::TestWithParam<Quoting> {};

TEST_P(QuotedWord, IsWhatAShellReadsBack) {
  EXPECT_EQ(shell_quoted(GetParam().word), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Words, QuotedWord,
    testing::Values(Quoting{"vllm", "vllm"}, Quoting{"--tp=8", "--tp=8"}, Quoting{"", "''"},
                    Quoting{"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B"},
                    Quoting{"models/通义千问-7B", "models/通义千问-7B"}, Quoting{"a b", "'a b'"},
                    Quoting{R"({"a": 1})", R"('{"a": 1}')"}, Quoting{"it's", "\"it's\""},
                    Quoting{"it's $5", R"('it'\''s $5')"}, Quoting{"$TP", "'$TP'"},
                    Quoting{"a*b", "'a*b'"}, Quoting{"~/m", "'~/m'"}, Quoting{"#1", "'#1'"},
                    Quoting{"a\nb", "$'a\\nb'"}, Quoting{"\x1b[31m", "$'\\x1b[31m'"},
                    Quoting{"a\\\n'", "$'a\\\\\\n\\''"}, Quoting{"!", "'!'"},
                    Quoting{"a\xFF(", "$'a\\xff('"}, Quoting{"\u202E'x", "$'\\xe2\\x80\\xae\\'x'"},
                    Quoting{"\u009Bm", "$'\\xc2\\x9bm'"}));

TEST(QuotedWords, AreReadBackByOurReaderToo) {
  for (const std::string word : {"a\xFF(", "\u202E'x", "\u009Bm", "\x01\x7F\\n", "\xC3("}) {
    Sources sources;
    const int source =
        sources.add({.kind = SourceKind::CommandLine, .text = "vllm " + shell_quoted(word)});
    const auto shell = parse_shell(sources, source);
    ASSERT_TRUE(shell && shell->commands.size() == 1);
    EXPECT_EQ(shell->commands[0].words.at(1).text, word);
  }
}

// "~\xff" in a script: no user has such a name, so the tilde is no way to a home.
TEST(QuotedWords, ATildeOfNoTextIsQuotedAndOneOfAUserIsNot) {
  Sources sources;
  const auto line = [&](std::string text) {
    const int source =
        sources.add({.kind = SourceKind::CommandLine, .text = "vllm serve " + std::move(text)});
    return one_line(parse_shell(sources, source)->commands.at(0));
  };
  EXPECT_EQ(line("~\xFF/m"), "vllm serve $'~\\xff/m'");
  EXPECT_EQ(line("~anna/m"), "vllm serve ~anna/m");
  EXPECT_EQ(line("~/\xFF"), "vllm serve ~$'/\\xff'");
}

Command from(Sources& sources, std::vector<std::string> argv) {
  return command_from_argv(sources, argv);
}

std::vector<std::string> texts(const Command& command) {
  std::vector<std::string> out;
  for (const auto& word : command.words) out.push_back(word.text);
  return out;
}

using Words = std::vector<std::string>;

TEST(CommandFromArgv, KeepsWordsAndTheirPlacesInOneLine) {
  Sources sources;
  const auto command = from(sources, {"vllm", "serve", "my model", "--tp", "2"});
  EXPECT_EQ(sources.at(0).text, "vllm serve 'my model' --tp 2");
  EXPECT_EQ(sources.at(0).kind, SourceKind::CommandLine);
  EXPECT_EQ(texts(command), (Words{"vllm", "serve", "my model", "--tp", "2"}));
  EXPECT_EQ(sources.text(command.words[2].span), "'my model'");
  EXPECT_EQ(command.span, (Span{0, 0, 28}));
  for (const auto& word : command.words) EXPECT_TRUE(word.literal);
  EXPECT_EQ(one_line(command), sources.at(0).text);
}

TEST(CommandFromArgv, AssignmentsInFrontBecomeTheEnvironment) {
  Sources sources;
  const auto command =
      from(sources, {"env", "CUDA_VISIBLE_DEVICES=0,1", "X=a b", "EMPTY=", "vllm", "serve", "m"});
  ASSERT_EQ(command.environment.size(), 3U);
  EXPECT_EQ(command.environment[0].name, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(command.environment[0].value, "0,1");
  EXPECT_EQ(sources.text(command.environment[1].span), "X='a b'");
  EXPECT_EQ(command.environment[2].value, "");
  EXPECT_EQ(texts(command), (Words{"vllm", "serve", "m"}));
  EXPECT_EQ(command.before, Words{"env"});
  EXPECT_EQ(one_line(command), "CUDA_VISIBLE_DEVICES=0,1 X='a b' EMPTY= vllm serve m");
}

struct Front {
  Words argv;
  std::string line;
  Words before;
};

class Wrappers : public testing::TestWithParam<Front> {};

TEST_P(Wrappers, StandBeforeTheProgram) {
  Sources sources;
  const auto command = from(sources, GetParam().argv);
  EXPECT_EQ(one_line(command), GetParam().line);
  EXPECT_EQ(command.before, GetParam().before);
}

INSTANTIATE_TEST_SUITE_P(
    Known, Wrappers,
    testing::Values(
        Front{{"A=1", "vllm", "serve"}, "A=1 vllm serve", {}},
        Front{{"A=1", "env", "-i", "B=2", "vllm"}, "B=2 vllm", {"env", "-i"}},
        Front{{"A=1", "C=3", "env", "-u", "A", "vllm"}, "C=3 vllm", {"env", "-u", "A"}},
        Front{{"/usr/bin/env", "vllm", "x"}, "vllm x", {"/usr/bin/env"}},
        Front{{"sudo", "-E", "-u", "llm", "A=1", "vllm"}, "A=1 vllm", {"sudo", "-E", "-u", "llm"}},
        Front{{"nohup", "nice", "-n", "5", "vllm"}, "vllm", {"nohup", "nice", "-n", "5"}},
        Front{{"numactl", "-N", "0", "--membind=0", "vllm"},
              "vllm",
              {"numactl", "-N", "0", "--membind=0"}},
        Front{{"taskset", "-c", "0-7", "vllm"}, "vllm", {"taskset", "-c", "0-7"}},
        Front{{"taskset", "0xff", "vllm"}, "vllm", {"taskset", "0xff"}},
        Front{{"timeout", "-k", "5", "10", "vllm"}, "vllm", {"timeout", "-k", "5", "10"}},
        Front{{"conda", "run", "-n", "llm", "vllm"}, "vllm", {"conda", "run", "-n", "llm"}},
        Front{{"uv", "run", "--with", "vllm", "vllm", "serve"},
              "vllm serve",
              {"uv", "run", "--with", "vllm"}},
        Front{{"tini", "-s", "--", "vllm"}, "vllm", {"tini", "-s", "--"}},
        Front{{"screen", "-dmS", "llm", "vllm", "serve"}, "vllm serve", {"screen", "-dmS", "llm"}},
        Front{{"apptainer", "exec", "--nv", "-B", "/scratch", "x.sif", "vllm"},
              "vllm",
              {"apptainer", "exec", "--nv", "-B", "/scratch", "x.sif"}},
        Front{{"apptainer", "build", "x.sif", "x.def"}, "apptainer build x.sif x.def", {}},
        Front{
            {"tmux", "new", "-s", "a", "vllm", "serve"}, "vllm serve", {"tmux", "new", "-s", "a"}},
        Front{{"conda", "install", "vllm"}, "conda install vllm", {}}, Front{{"env"}, "env", {}},
        Front{{"env", "A=1"}, "env A=1", {}}, Front{{"timeout", "5"}, "timeout 5", {}},
        Front{{"vllm", "serve", "A=1"}, "vllm serve A=1", {}}));

TEST(OneLine, ALineBreakInWhatTheShellWouldRunStaysOnTheLine) {
  Sources sources;
  const int source = sources.add(
      {.name = "run.sh", .text = "docker run image && vllm serve m -tp`4 > /tmp/log'\n"});
  const auto shell = parse_shell(sources, source);
  ASSERT_TRUE(shell);
  for (const Command& command : shell->commands)
    EXPECT_EQ(one_line(command).find('\n'), std::string::npos) << one_line(command);
}

TEST(CommandFromArgv, NothingGivesNoWords) {
  Sources sources;
  EXPECT_TRUE(from(sources, {}).words.empty());
  EXPECT_EQ(texts(from(sources, {""})), Words{""});
}

}  // namespace
}  // namespace sx
