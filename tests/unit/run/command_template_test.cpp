// Places in a command: which braces are some, and what goes into them.
#include "run/command_template.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "read/shell_words.h"

namespace sx {
namespace {

std::string places(std::string_view word) {
  std::string all;
  for (const Placeholder& one : placeholders_in(word)) all += std::string(one.name) + ' ';
  return all;
}

TEST(CommandTemplate, NamesOfSmallLettersInBracesArePlaces) {
  EXPECT_EQ(places("--port={port}"), "port ");
  EXPECT_EQ(places("{model}:{gpus}"), "model gpus ");
  EXPECT_EQ(places("{modle}"), "modle ");
}

TEST(CommandTemplate, BracesOfOtherLanguagesAreNone) {
  for (const char* word : {"{}", "{\"a\":1}", "${port}", "{{port}}", "{{ role }}",
                           "{% for m in x %}", "{HF_HOME}", "{port", "port}", "{a:1}", "{"})
    EXPECT_EQ(places(word), "") << word;
}

TEST(CommandTemplate, EachPlaceGetsItsValueAndAllElseStays) {
  const TemplateValues values{.model = "org/m", .port = 9001, .gpus = {2, 3}, .replica = 1};
  EXPECT_EQ(join(filled({"env", "CUDA_VISIBLE_DEVICES={gpus}", "vllm", "serve", "{model}",
                         "--port={port}", "--host", "{host}", "--served-model-name",
                         "{model}-{replica}", "{\"a\":{}}", "{other}"},
                        values),
                 " "),
            "env CUDA_VISIBLE_DEVICES=2,3 vllm serve org/m --port=9001 --host 127.0.0.1 "
            "--served-model-name org/m-1 {\"a\":{}} {other}");
}

TEST(CommandTemplate, AShellReadsAValueAsOneWord) {
  EXPECT_EQ(filled({"llama-server -m {model} --port {port}"}, {.model = "/a b.gguf", .port = 7}),
            std::vector<std::string>{"llama-server -m '/a b.gguf' --port 7"});
  // No shell reads this one.
  EXPECT_EQ(filled({"llama-server", "-m", "{model}"}, {.model = "/a b.gguf"}).at(2), "/a b.gguf");
}

// Careful people write the quotes themselves.
TEST(CommandTemplate, QuotesAroundAPlaceHoldItsValue) {
  const std::string odd = "a b'c\"$(d)`e`\\.gguf";
  for (const char* text :
       {"llama-server -m {model} --port 1", "llama-server -m '{model}' --port 1",
        "llama-server -m \"{model}\" --port 1", "llama-server -m \"\"'{model}'\"\" --port 1",
        "llama-server -m ''{model} --port 1"}) {
    const std::string made = filled({text}, {.model = odd}).at(0);
    std::vector<std::string> read;
    Sources sources;
    for (const Word& word : command_from_argv(sources, {made}).words) read.push_back(word.text);
    EXPECT_EQ(read, (std::vector<std::string>{"llama-server", "-m", odd, "--port", "1"})) << made;
  }
}

// What `bash -c` runs is read by a shell as well, and a text in it by another one.
TEST(CommandTemplate, ATextInsideATextHoldsItsValue) {
  const std::string odd = "a b'c\"$(d)`e`\\.gguf";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"bash", "-c", "llama-server -m {model} --port 1"},
           {"env", "A=B", "bash", "-euo", "pipefail", "-c", "llama-server -m '{model}' --port 1"},
           {"bash", "-c", "sh -c 'llama-server -m {model} --port 1'"},
           {"bash", "-c", "exec sh -c 'llama-server -m \"{model}\" --port 1'"},
           {"bash -c \"sh -c 'llama-server -m {model} --port 1'\""},
           {"bash -c 'sh -c \"llama-server -m {model} --port 1\"'"},
           {"bash -c \"sh -c \\\"llama-server -m {model} --port 1\\\"\""}}) {
    const auto made = filled(command, {.model = odd});
    std::vector<std::string> read;
    Sources sources;
    const Command argv = command_from_argv(sources, made);
    const auto shell = parse_shell(
        sources, made.size() == 1 ? sources.add({.name = "x", .text = made.front()}) : argv.source);
    ASSERT_TRUE(shell);
    ASSERT_EQ(shell->commands.size(), 1U) << join(made, " ");
    for (const Word& word : shell->commands[0].words) read.push_back(word.text);
    EXPECT_EQ(read, (std::vector<std::string>{"llama-server", "-m", odd, "--port", "1"}))
        << join(made, " ");
  }
  // The file of a shell is no text.
  EXPECT_EQ(filled({"bash", "{model}"}, {.model = "a b"}).at(1), "a b");
}

TEST(CommandTemplate, WhatACommandAsksForIsKnown) {
  EXPECT_TRUE(asks_for({"vllm", "serve", "{model}"}, "model"));
  EXPECT_FALSE(asks_for({"vllm", "serve", "${model}"}, "model"));
}

}  // namespace
}  // namespace sx
