// Shell texts as people write them, good beside bad, and what the reader makes of them.
#include "read/shell_words.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace sx {
namespace {

struct Shell {
  Sources sources;
  ShellText text;
};

Shell read_shell(std::string text) {
  Shell shell;
  const int source =
      shell.sources.add({.kind = SourceKind::File, .name = "serve.sh", .text = std::move(text)});
  auto parsed = parse_shell(shell.sources, source);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().what);
  if (parsed) shell.text = std::move(*parsed);
  return shell;
}

// Each command on a line, words between bars: "vllm|serve|m". What is not complete ends with ?.
std::string shown(const Command& command) {
  std::vector<std::string> parts;
  for (const auto& set : command.environment) {
    parts.push_back((set.prefix ? "" : "^") + set.name + "=" + set.value +
                    (set.complete ? "" : "?"));
  }
  for (const auto& word : command.words) parts.push_back(word.text + (word.complete ? "" : "?"));
  return join(parts, "|");
}

std::string shown(const Shell& shell) {
  std::vector<std::string> lines;
  for (const auto& command : shell.text.commands) lines.push_back(shown(command));
  return join(lines, "\n");
}

struct Scene {
  std::string text;
  std::string words;
};

class ShellScene : public testing::TestWithParam<Scene> {};

TEST_P(ShellScene, GivesTheseWords) {
  EXPECT_EQ(shown(read_shell(GetParam().text)), GetParam().words) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Quotes, ShellScene,
    testing::Values(Scene{"vllm serve m", "vllm|serve|m"}, Scene{"  a\t b  ", "a|b"}, Scene{"", ""},
                    Scene{"a 'b c' \"d e\"", "a|b c|d e"}, Scene{R"(a b\ c \"x\")", "a|b c|\"x\""},
                    Scene{R"(a "b\"c\$d\e\\")", R"(a|b"c$d\e\)"},
                    Scene{R"(a 'b\n'$'c\td\x41\101\u4e2d')", "a|b\\nc\tdAA中"}, Scene{"a ''", "a|"},
                    Scene{"a \"\"'' b", "a||b"},
                    Scene{R"(a --x='{"b": [1, 2]}')", R"(a|--x={"b": [1, 2]})"},
                    Scene{"a pre'mid'\"post\"", "a|premidpost"}, Scene{"a #b\nc d#e", "a\nc|d#e"},
                    Scene{"a 'unclosed b", "a|unclosed b"}, Scene{"a \"unclosed", "a|unclosed"},
                    Scene{"a \\", "a|\\"}, Scene{"a $ b$", "a|$|b$"}, Scene{"a $\"x y\"", "a|x y"},
                    Scene{"a ~/m", "a|~/m"}));

INSTANTIATE_TEST_SUITE_P(
    Lines, ShellScene,
    testing::Values(Scene{"a \\\n  b \\\n  c", "a|b|c"}, Scene{"a \\\r\n  b\r\nc\r\n", "a|b\nc"},
                    Scene{"a b\rc\r", "a|b\nc"}, Scene{"a b\\\nc", "a|bc"},
                    Scene{"a \"b\\\nc\"", "a|bc"}, Scene{"\xEF\xBB\xBFvllm serve", "vllm|serve"},
                    Scene{"a \\ \nb", "a| \nb"},
                    Scene{"a && b || c; d & e | f", "a\nb\nc\nd\ne\nf"}, Scene{"a |\nb", "a\nb"},
                    Scene{"# c\n\n\na", "a"}, Scene{"a \\\n# c\nb", "a\nb"}));

INSTANTIATE_TEST_SUITE_P(
    Variables, ShellScene,
    testing::Values(
        Scene{"TP=4\nv --tp $TP", "v|--tp|4"}, Scene{"TP=4; v --tp=${TP}x", "v|--tp=4x"},
        Scene{"v --tp $TP", "v|--tp|$TP?"},
        Scene{"v ${TP:-4} ${TP-5} \"${TP:=6}\" $TP", "v|4|5|6|6"},
        Scene{": ${P:=80}\nv $P", "v|80"}, Scene{"P=\nv ${P:-8} ${P-9} a$P", "v|8|a"},
        Scene{"C=\"--a 1  --b 2 \"\nv m $C x", "v|m|--a|1|--b|2|x"},
        Scene{"C=' a b '\nv x${C}y \"$C\"", "v|x|a|b|y| a b "}, Scene{"C=\nv $C \"$C\"", "v|"},
        Scene{"A=(--a 1 \"x y\"\n --b # c\n 2)\nv \"${A[@]}\" z", "v|--a|1|x y|--b|2|z"},
        Scene{"A=(1 2)\nA+=(3)\nv ${A[@]} \"${A[*]}\" $A ${A[1]} ${#A[@]}", "v|1|2|3|1 2 3|1|2|3"},
        Scene{"A=()\nv \"${A[@]}\" b", "v|b"},
        Scene{"v \"${A[@]+\"${A[@]}\"}\" b ${A[@]:-c}", "v|b|c"}, Scene{"A=x\nA+=y\nv $A", "v|xy"},
        Scene{"A=1 B=$A\nv $B", "v|1"}, Scene{"A=1\nA=2 v $A", "A=2|v|1"},
        Scene{"V=\"$(nproc)\"\nv $V `x` $(y (z) ')')", "v|$(nproc)?|`x`?|$(y (z) ')')?"},
        Scene{"export A=b C\nC=d\nE=f\nv", "^A=b|v"}, Scene{"C=d\nexport C\nv", "^C=d|v"},
        Scene{"export \"A=x y\"\nv", "^A=x y|v"}, Scene{"export A=$B\nv", "^A=$B?|v"},
        Scene{"declare -x A=1; declare B=2; v $B", "^A=1|v|2"},
        Scene{"export A=1; unset A; v", "v"}, Scene{"set -a\nA=1\nset +a\nB=2\nv", "^A=1|v"},
        Scene{"P=80\nv $((P+1)) $((P * 2 - 1)) $((i+1))", "v|81|159|$((i+1))?"},
        Scene{"M=/a/b/c.d\nv ${M##*/} ${M%/*} ${M%.d} ${M#/} ${M/x/y}",
              "v|c.d|/a/b|/a/b/c|a/b/c.d|${M/x/y}?"},
        Scene{"v $1 \"$@\" ${2:-x} $#", "v|$1?|$@?|x|$#?"}, Scene{"A=$A\nv $A", "v|$A?"},
        Scene{"A=a:$A\nv $A", "v|a:$A?"},
        Scene{"v ${A:-${B:-c}} \"${A:-it's \"q\"}\" ${A:-'x y'} ${A:-x y}", "v|c|it's q|x y|x|y"},
        Scene{"U=v\n$U serve m", "v|serve|m"},
        Scene{"v ${!X} ${X^^} ${X:?no}", "v|${!X}?|${X^^}?|${X:?no}?"},
        Scene{"X=1\nv ${X:+--a $X} ${Y:+--b}", "v|--a|1|${Y:+--b}?"}, Scene{"v $'a", "v|a"},
        Scene{"v ${A", "v|${A?"}, Scene{"A[0]=x\nv ${A[0]}", "v|${A[0]}?"}));

INSTANTIATE_TEST_SUITE_P(
    Branches, ShellScene,
    testing::Values(Scene{"if [ $# -gt 1 ]; then TP=4; else TP=8; fi\nv $TP", "v|$TP?"},
                    Scene{"TP=2; if x; then TP=4; v $TP; fi; v $TP", "x\nv|4\nv|$TP?"},
                    Scene{"if [ -z \"$TP\" ]; then TP=4; fi\nv $TP", "v|4"},
                    Scene{"[ -z \"$TP\" ] && TP=4\nv $TP", "v|4"},
                    Scene{"[[ -n \"${TP:-}\" ]] || TP=4\nv $TP", "v|4"},
                    Scene{"[ -f x ] && TP=4\nv $TP", "v|$TP?"},
                    Scene{"TP=2; [ -z $TP ] && TP=4; v $TP", "v|2"},
                    Scene{"A=(m)\nif x; then A+=(--y 1); fi\nv \"${A[@]}\"", "x\nv|m|--y?|1?"},
                    Scene{"A='--a 1'\nif x; then A=\"$A --y 2\"; fi\nv $A", "x\nv|--a|1|--y?|2?"},
                    Scene{"case $1 in\n a|b) TP=1 ;;\n (c) v $TP;;\n *) v d\nesac\nv $TP",
                          "v|$TP?\nv|d\nv|$TP?"},
                    Scene{"for i in 0 1; do v --port $i; done > log", "v|--port|$i?"},
                    Scene{"for ((i=0;i<2;i++)); do v $i; done", "v|$i?"},
                    Scene{"while true; do\n v\n sleep 1\ndone", "v\nsleep|1"},
                    Scene{"run() {\n v $1\n}\nrun 8", "v|$1?\nrun|8"},
                    Scene{"function run { v; }", "v"}, Scene{"function run() { v; }", "v"},
                    Scene{"( A=1; export B=2; v $A )\nv $A", "^B=2|v|1\nv|$A?"},
                    Scene{"{ v; }; ! v", "v\nv"},
                    Scene{"if [[ $A > b && ( c ) ]]; then v; fi", "v"},
                    Scene{"(( x > 1 )) && v", "v"}, Scene{"read A\nv $A", "v|$A?"},
                    Scene{"P=1; for i in a; do v $P; P=$((P+1)); done; v $P", "v|1\nv|$P?"}));

INSTANTIATE_TEST_SUITE_P(
    Around, ShellScene,
    testing::Values(
        Scene{"A=1 B='x y' v serve", "A=1|B=x y|v|serve"}, Scene{"env A=1 v", "A=1|v"},
        Scene{"export Z=0\nenv -i A=1 v", "A=1|v"}, Scene{"sudo -E nohup v", "v"},
        Scene{"v a > log 2>&1 b", "v|a|b"}, Scene{"v <x >>y 2>z &>w", "v"},
        Scene{"cat <<EOF > x\nvllm serve no\nEOF\nv", "cat\nv"},
        Scene{"cat <<-'E'\n\tno\n\tE\nv", "cat\nv"}, Scene{"cat <<E\r\nno\r\nE\r\nv", "cat\nv"},
        Scene{"cat <<A <<B\n1\nA\n2\nB\nv", "cat\nv"}, Scene{"cat <<<x\nv", "cat\nv"},
        Scene{"cat <<E\nnever", "cat"}, Scene{"v <(x) > >(tee log)", "v|<(x)?"},
        Scene{"source x.sh\n. y\nv", "v"},
        Scene{"bash -c 'vllm serve m --tp 2'", "vllm|serve|m|--tp|2"},
        Scene{"T=2; bash -lc \"cd x && v --tp $T\"", "cd|x\nv|--tp|2"},
        Scene{R"(sh -c "v \"a b\" \$X")", "v|a b|$X?"},
        Scene{"set -- --a 'b c'\nv \"$@\" $1", "v|--a|b c|--a"},
        Scene{"set -- \"$@\" --a\nv \"$@\"", "v|$@?|--a"},
        Scene{"set -- \"$@\" --a\nv $2", "v|$2?"}, Scene{"set -e a b; v $2 \"$*\" $3", "v|b|a b"},
        Scene{"set -e -o pipefail; v $@", "v|$@?"}, Scene{"set -- a; shift; v $@", "v|$@?"},
        Scene{"set -- a; f() { v \"$@\"; }", "v|$@?"},
        Scene{"f() { set -- a; }; v \"$@\"", "v|$@?"}, Scene{"set -- a; sh -c 'v $1'", "v"},
        Scene{"bash -c 'exec \"$@\"' name v m --tp 2", "v|m|--tp|2"},
        Scene{"sh -c 'v $2 $1 \"$@\"' sh a 'b c' $X", "v|b|c|a|a|b c|$X?"},
        Scene{"sh -c 'v $0' m", "v|$0?"}, Scene{"bash -c \"sh -c 'A=1 v m'\"", "A=1|v|m"},
        Scene{"bash -euo pipefail -c 'v m'", "v|m"}, Scene{"bash -c -e 'v m'", "v|m"},
        Scene{"bash -o pipefail -lc 'v m'", "v|m"}, Scene{"bash +O extglob -c 'v m'", "v|m"},
        Scene{"bash --rcfile x -c -- 'v m'", "v|m"}, Scene{"bash -o c run.sh", "bash|-o|c|run.sh"},
        Scene{"if x; then set -- a; fi; v \"$@\"", "x\nv|$@?"},
        Scene{"tmux new-session -d -s a 'A=1 v serve m'", "A=1|v|serve|m"},
        Scene{"tmux send-keys -t a \"v serve m\" Enter", "v|serve|m"},
        Scene{"tmux kill-server", "tmux|kill-server"}, Scene{"$ v serve m", "v|serve|m"},
        Scene{"$ A=1 nohup v", "A=1|v"}, Scene{"me@host:~$ v m", "v|m"},
        Scene{"(base) root@gpu:~# v m", "base\nv|m"}, Scene{"A=1 bash -c 'B=2 v'", "^A=1|B=2|v"},
        Scene{"bash run.sh", "bash|run.sh"},
        Scene{"C='v serve m --x \"a b\"'\neval \"$C\" --y\neval $C",
              "v|serve|m|--x|a b|--y\nv|serve|m|--x|a b"},
        Scene{"C='A=1 v m && w'; bash -c \"$C\"", "A=1|v|m\nw"}));

TEST(ShellCommand, KnowsWhatStandsAroundIt) {
  const auto shell = read_shell(
      "cd /x\nCUDA_VISIBLE_DEVICES=0 nohup numactl -N 0 vllm serve m 2>&1 > a.log | tee -a x &\n");
  ASSERT_EQ(shell.text.commands.size(), 3U);
  const auto& command = shell.text.commands[1];
  EXPECT_EQ(command.before, (std::vector<std::string>{"nohup", "numactl", "-N", "0"}));
  EXPECT_EQ(command.after,
            (std::vector<std::string>{"2>&1", ">", "a.log", "|", "tee", "-a", "x", "&"}));
  EXPECT_EQ(command.line, 2);
  EXPECT_EQ(shell.sources.text(command.span),
            "CUDA_VISIBLE_DEVICES=0 nohup numactl -N 0 vllm serve m");
  EXPECT_EQ(command.environment_at, 6U);
  EXPECT_EQ(one_line(command), "CUDA_VISIBLE_DEVICES=0 vllm serve m");
}

TEST(ShellCommand, LinesAreCountedInEveryKindOfLineEnd) {
  const auto shell = read_shell("a\r\n\r\nb\rc\n'x\ny'\nd");
  std::vector<int> lines;
  for (const auto& command : shell.text.commands) lines.push_back(command.line);
  EXPECT_EQ(lines, (std::vector<int>{1, 3, 4, 5, 7}));
}

TEST(ShellCommand, AWordInsideBashCKeepsItsPlace) {
  const auto shell = read_shell("docker x\nexec bash -lc 'vllm serve m --tp 2' # end");
  ASSERT_EQ(shell.text.commands.size(), 2U);
  const auto& command = shell.text.commands[1];
  EXPECT_EQ(command.written, Command::Text::InsideQuotes);
  EXPECT_EQ(command.before, (std::vector<std::string>{"exec", "bash", "-lc"}));
  EXPECT_EQ(shell.sources.text(command.words[4].span), "2");
  EXPECT_TRUE(command.words[4].literal);
  const auto derived = read_shell("bash -c \"vllm serve \\\"m\\\"\"");
  EXPECT_EQ(derived.text.commands.at(0).written, Command::Text::Derived);
  EXPECT_FALSE(derived.text.commands.at(0).words[0].literal);
}

std::string kinds(const Shell& shell) {
  std::string out;
  for (const auto& note : shell.text.notes) out += "QSVDTL"[static_cast<int>(note.kind)];
  return out;
}

TEST(ShellNotes, SayWhatWasNotUnderstood) {
  EXPECT_EQ(kinds(read_shell("a b")), "");
  EXPECT_EQ(kinds(read_shell("a 'b")), "Q");
  EXPECT_EQ(kinds(read_shell("a $(b)")), "S");
  EXPECT_EQ(kinds(read_shell("a $B")), "V");
  EXPECT_EQ(kinds(read_shell("a \xC4\xE3\xBA\xC3")), "T");
  EXPECT_EQ(kinds(read_shell("vllm serve m \\\n # c\n --tp 2")), "L");
  EXPECT_EQ(kinds(read_shell("vllm serve m \\ \n --tp 2")), "L");
  EXPECT_EQ(kinds(read_shell("a $(b")), "Q");
  EXPECT_EQ(kinds(read_shell("cat <<E\nx")), "Q");
}

TEST(ShellRefuses, WhatIsNoText) {
  Sources sources;
  const auto error = [&](std::string text) {
    const auto shell = parse_shell(sources, sources.add({.name = "x.sh", .text = std::move(text)}));
    return shell ? std::string("read") : shell.error().what;
  };
  using namespace std::string_literals;
  EXPECT_EQ(error("\xFF\xFEv\0l\0"s), "x.sh is UTF-16 text; it has to be saved as UTF-8");
  EXPECT_EQ(error("\x7F"
                  "ELF\2"s),
            "x.sh is a program, not a script");
  EXPECT_EQ(error("a\0b"s), "x.sh is no text: there are NUL bytes in it");
  EXPECT_EQ(error(std::string((16U << 20U) + 1, 'a')), "x.sh is longer than 16 MiB");
}

TEST(ShellScript, ADockerEntryPoint) {
  const auto shell = read_shell(R"(#!/bin/bash
set -euo pipefail
# 启动脚本
MODEL="${MODEL:-Qwen/Qwen2.5-7B-Instruct}"
ARGS=(
  --host 0.0.0.0   # every address
	--port "${PORT:-8000}"
  --tensor-parallel-size "${TP:-2}"
)
if [[ -n "${MAX_LEN:-}" ]]; then
  ARGS+=(--max-model-len "$MAX_LEN")
fi
export VLLM_LOGGING_LEVEL=INFO
exec python3 -m vllm.entrypoints.openai.api_server --model "$MODEL" "${ARGS[@]}" "$@"
)");
  EXPECT_EQ(shown(shell),
            "^VLLM_LOGGING_LEVEL=INFO|python3|-m|vllm.entrypoints.openai.api_server|--model|Qwen/"
            "Qwen2.5-7B-Instruct|"
            "--host|0.0.0.0|--port|8000|--tensor-parallel-size|2|--max-model-len?|$MAX_LEN?|$@?");
  EXPECT_EQ(shell.text.commands.at(0).line, 14);
}

TEST(ShellScript, SeveralLaunchesWithTheirPorts) {
  const auto shell = read_shell(R"(PORT=8000
COMMON="--max-model-len 32768 --gpu-memory-utilization 0.9"
CUDA_VISIBLE_DEVICES=0,1 nohup vllm serve 模型/a --port $PORT $COMMON > a.log 2>&1 &
PORT=$((PORT+1))
CUDA_VISIBLE_DEVICES=2,3 nohup vllm serve 模型/b --port $PORT $COMMON > b.log 2>&1 &
wait
)");
  EXPECT_EQ(shown(shell),
            "CUDA_VISIBLE_DEVICES=0,1|vllm|serve|模型/"
            "a|--port|8000|--max-model-len|32768|--gpu-memory-utilization|0.9\n"
            "CUDA_VISIBLE_DEVICES=2,3|vllm|serve|模型/"
            "b|--port|8001|--max-model-len|32768|--gpu-memory-utilization|0.9\n"
            "wait");
  EXPECT_FALSE(shell.text.commands[0].words[6].literal);
  EXPECT_TRUE(shell.text.commands[0].words[2].literal);
}

TEST(ShellWord, AnUnquotedTildeStaysOne) {
  const auto shell = read_shell("vllm serve ~/m '~/n'");
  EXPECT_EQ(one_line(shell.text.commands.at(0)), "vllm serve ~/m '~/n'");
}

TEST(ShellWord, IncompleteWordsAreShownForTheShellToFinish) {
  const auto shell = read_shell("T=1 vllm serve $M --x \"a b $Y\" -tp $T");
  EXPECT_EQ(one_line(shell.text.commands.at(0)), "T=1 vllm serve $M --x \"a b $Y\" -tp $T");
}

}  // namespace
}  // namespace sx
