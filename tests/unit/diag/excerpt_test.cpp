// Carets under the right cells, whatever the line is made of.
#include "diag/excerpt.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/utf8.h"
#include "examples.h"
#include "text/columns.h"

namespace sx::examples {
namespace {

std::string shown(const std::vector<Label>& labels, const Sources& sources,
                  std::size_t width = 100) {
  return excerpt(labels, sources, {.width = width}, Painter(false)).text;
}

struct Line {
  std::string_view what;
  std::string text;
  std::string_view expected;
};

TEST(Excerpt, MarksStandUnderTheirCells) {
  const Line table[] = {
      {"wide characters", "vllm serve 通义 --tp 8",
       " --> x:1\n  |\n1 | vllm serve 通义 --tp 8\n  |                 ^^^^^^ here\n  |\n"},
      {"tabs", "\tvllm\t--tp 8",
       " --> x:1\n  |\n1 |         vllm    --tp 8\n  |                 ^^^^^^ here\n  |\n"},
      {"combining marks", "e\xCC\x81 --tp 8",
       " --> x:1\n  |\n1 | e\xCC\x81 --tp 8\n  |   ^^^^^^ here\n  |\n"},
      {"bad UTF-8", "\xFF\xE9\x80 --tp 8",
       " --> x:1\n  |\n1 | ��� --tp 8\n  |     ^^^^^^ here\n  |\n"},
      {"escape sequences", "\x1b[2J --tp 8",
       " --> x:1\n  |\n1 | ␛[2J --tp 8\n  |      ^^^^^^ here\n  |\n"},
      {"CRLF", "one\r\nvllm --tp 8\r\nthree",
       " --> x:2\n  |\n2 | vllm --tp 8\n  |      ^^^^^^ here\n  |\n"},
      {"a byte-order mark", "\xEF\xBB\xBFvllm --tp 8",
       " --> x:1\n  |\n1 | vllm --tp 8\n  |      ^^^^^^ here\n  |\n"},
      {"lone carriage returns", "one\rvllm --tp 8\rthree",
       " --> x:2\n  |\n2 | vllm --tp 8\n  |      ^^^^^^ here\n  |\n"},
  };
  for (const auto& [what, text, expected] : table) {
    Sources sources;
    const int source = file(sources, "x", text);
    EXPECT_EQ(shown({{span_of(sources, source, "--tp 8"), plain("here"), true}}, sources), expected)
        << what;
  }
}

TEST(Excerpt, TheGutterIsAsWideAsTheLargestLineNumber) {
  Sources sources;
  const int source =
      file(sources, "config.json", std::string(40, '\n') + "    \"quant_method\": \"fp8\",\n");
  EXPECT_EQ(shown({{span_of(sources, source, "\"quant_method\": \"fp8\""), plain("read"), true}},
                  sources),
            " --> config.json:41\n"
            "   |\n"
            "41 |     \"quant_method\": \"fp8\",\n"
            "   |     ^^^^^^^^^^^^^^^^^^^^^ read\n"
            "   |\n");
}

TEST(Excerpt, ALongCommandIsOneFlagARow) {
  Sources sources;
  const int script =
      file(sources, "serve.sh",
           "#!/bin/sh\n\n\n\n\n\nvllm serve meta-llama/Llama-3.1-70B-Instruct --port 8000 "
           "--max-model-len 131072 --gpu-memory-utilization 0.55 --api-key 'a b' --seed -1\n");
  EXPECT_EQ(shown({{span_of(sources, script, "--max-model-len 131072"),
                    plain("40.0 GiB over 4 GPUs"), true},
                   {span_of(sources, script, "--gpu-memory-utilization 0.55"),
                    plain("leaves 6.2 GiB"), false}},
                  sources),
            R"( --> serve.sh:7
  |
  | vllm serve meta-llama/Llama-3.1-70B-Instruct
  |   ...
  |   --max-model-len 131072
  |   ^^^^^^^^^^^^^^^^^^^^^^ 40.0 GiB over 4 GPUs
  |   --gpu-memory-utilization 0.55
  |   ----------------------------- leaves 6.2 GiB
  |   ...
)");
}

TEST(Excerpt, TwoMarksOnOneLineHaveBothTexts) {
  Sources sources;
  const int source = command_line(sources, "vllm serve m --tp 8 --pp 2 --dp 4");
  EXPECT_EQ(shown({{span_of(sources, source, "--pp 2"), plain("second"), true},
                   {span_of(sources, source, "--tp 8"), plain("first"), false},
                   {span_of(sources, source, "--dp 4"), plain("third"), false}},
                  sources),
            R"( --> command line
  |
  | vllm serve m --tp 8 --pp 2 --dp 4
  |              ------ ^^^^^^ ------ third
  |              |      |
  |              |      second
  |              first
)");
}

TEST(Excerpt, MarksThatOverlapShowThePrimaryOne) {
  Sources sources;
  const int source = command_line(sources, "vllm serve m --tp 8");
  EXPECT_EQ(shown({{span_of(sources, source, "--tp 8"), plain("all"), false},
                   {span_of(sources, source, "8"), plain("value"), true}},
                  sources),
            R"( --> command line
  |
  | vllm serve m --tp 8
  |              -----^ value
  |              |
  |              all
)");
}

TEST(Excerpt, LinesOfOneFileShareABlockWhenTheyAreNear) {
  Sources sources;
  const int script = file(
      sources, "serve.sh",
      "vllm serve m \\\n  --tp 8 \\\n  --port 1 \\\n  --pp 2\n" + std::string(40, '\n') + "far\n");
  EXPECT_EQ(shown({{span_of(sources, script, "--pp 2"), plain("a"), true},
                   {span_of(sources, script, "--tp 8"), plain("b"), false},
                   {span_of(sources, script, "far"), plain("c"), false}},
                  sources),
            R"( --> serve.sh:4
   |
 2 |   --tp 8 \
   |   ------ b
   | ...
 4 |   --pp 2
   |   ^^^^^^ a
 ::: serve.sh:45
   |
45 | far
   | --- c
   |
)");
}

TEST(Excerpt, ASpanOverSeveralLinesMarksEachOrTheFirst) {
  Sources sources;
  const int script = file(sources, "s.sh", "vllm serve m \\\n  --tp 8 \\\n  --pp 2\nend\n");
  EXPECT_EQ(shown({{{script, 0, sources.at(script).text.find("end")}, plain("all of it"), true}},
                  sources),
            R"( --> s.sh:1
  |
1 | vllm serve m \
  | ^^^^^^^^^^^^
2 |   --tp 8 \
  |   ^^^^^^
3 |   --pp 2
  |   ^^^^^^ all of it
  |
)");
  const int lines = file(sources, "many", "a\nb\nc\nd\ne\nf\ng\n");
  EXPECT_EQ(shown({{{lines, 0, 13}, plain("all"), true}}, sources),
            " --> many:1\n  |\n1 | a\n  | ^ all\n  |\n");
}

TEST(Excerpt, PlacesThatAreWrongAreShownAtTheNearestRightOne) {
  Sources sources;
  const int source = command_line(sources, "vllm");
  const int empty = file(sources, "empty", "");
  const std::string end = " --> command line\n  |\n  | vllm\n  |     ^ x\n";
  EXPECT_EQ(shown({{{source, 4, 4}, plain("x"), true}}, sources), end);
  EXPECT_EQ(shown({{{source, 400, 900}, plain("x"), true}}, sources), end);
  EXPECT_EQ(shown({{{source, 900, 400}, plain("x"), true}}, sources), end);
  EXPECT_EQ(shown({{{empty, 0, 0}, plain("x"), true}}, sources),
            " --> empty:1\n  |\n1 |\n  | ^ x\n  |\n");
  EXPECT_EQ(shown({{{-1, 0, 1}, plain("x"), true}, {{7, 0, 1}, plain("y"), false}}, sources), "");
  EXPECT_EQ(shown({}, sources), "");
}

TEST(Excerpt, ALineOfAMegabyteIsCutAroundTheMark) {
  Sources sources;
  std::string text = "{";
  while (text.size() < 500000) text += "\"键\": \"值值值\", ";
  text += "\"num_attention_heads\": 28, ";
  while (text.size() < 1000000) text += "\"键\": \"值值值\", ";
  const int source = file(sources, "config.json", text + "}");
  for (std::size_t width : {60U, 61U, 62U, 100U, 200U}) {
    const std::string out =
        shown({{span_of(sources, source, "\"num_attention_heads\": 28"), plain("here"), true}},
              sources, width);
    const auto lines = lines_of(out);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_LE(columns(lines[2]), width);
    EXPECT_TRUE(lines[2].starts_with("1 | ...")) << lines[2];
    EXPECT_TRUE(lines[2].ends_with("...")) << lines[2];
    const auto caret = lines[3].find('^');
    const auto word = lines[2].find("\"num_attention_heads\": 28");
    ASSERT_NE(word, std::string_view::npos) << lines[2];
    EXPECT_EQ(columns(lines[2].substr(0, word)), caret);
    EXPECT_TRUE(is_valid_utf8(out));
  }
}

TEST(Excerpt, ASpanOfAMegabyteAndBrokenBytesCostNoMoreThanAWindow) {
  Sources sources;
  const int source = file(sources, "x", std::string(1000000, '\x80'));
  const std::string out =
      shown({{{source, 10, 999000}, plain("all"), true}, {{source, 0, 1}, plain("b"), false}},
            sources, 60);
  EXPECT_TRUE(is_valid_utf8(out));
  for (const std::string_view line : lines_of(out)) EXPECT_LE(columns(line), 60U) << line;
}

}  // namespace
}  // namespace sx::examples
