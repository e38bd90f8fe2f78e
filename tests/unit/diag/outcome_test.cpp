// A whole answer as text: what is shown, what is folded, and the last lines.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/utf8.h"
#include "diag/render.h"
#include "examples.h"
#include "text/columns.h"

namespace sx::examples {
namespace {

constexpr Text kNoNvml{"NVML not found, so the links are unknown", "未找到 NVML，链路未知"};
constexpr Text kNoModel{"no config.json", "没有 config.json"};
constexpr Text kNoDriver{"no driver", "没有驱动"};
constexpr Text kNoDisk{"no disk", "没有磁盘"};

Outcome mixed() {
  Outcome outcome;
  outcome.checked = 61;
  for (int i = 0; i < 3; ++i)
    outcome.diagnostics.push_back(simple("SX2103", Severity::Error, "an error"));
  for (int i = 0; i < 2; ++i)
    outcome.diagnostics.push_back(simple("SX3108", Severity::Warning, "a warning"));
  for (int i = 0; i < 5; ++i)
    outcome.diagnostics.push_back(simple("SX8001", Severity::Advice, "advice"));
  for (int i = 0; i < 4; ++i)
    outcome.not_checked.push_back({"SX6201", "n", {"host.links"}, kNoNvml});
  outcome.held_back = {{"SX3108", "SX2103"}, {"SX3109", "SX2103"}};
  outcome.combined.command = "vllm serve m --tensor-parallel-size 4 --port 8001";
  outcome.combined.clears_errors = true;
  return outcome;
}

std::string verdict_of(const Outcome& outcome, const Style& style = {}, const Asked& asked = {}) {
  std::string page = render_text(outcome, Sources{}, asked, style);
  const auto explain = page.rfind("explain SX");
  if (explain == std::string::npos) return page;
  return page.substr(page.find('\n', explain) + 2);
}

TEST(Verdict, CountsAndNamesWhatIsMissing) {
  EXPECT_EQ(verdict_of(mixed()),
            R"(3 errors, 2 warnings; 4 checks not run (NVML not found, so the links are unknown)
2 more checks wait for SX2103; 5 pieces of advice hidden (--all)

with all fixes:
    vllm serve m --tensor-parallel-size 4 --port 8001
)");
  EXPECT_EQ(verdict_of(mixed(), {.language = Language::Chinese}),
            R"(3 个错误，2 个警告；4 项未检查（未找到 NVML，链路未知）
另有 2 项检查要等 SX2103 解决；5 条建议未显示（--all）

应用全部修复:
    vllm serve m --tensor-parallel-size 4 --port 8001
)");
}

TEST(Verdict, NothingToSayStillSaysWhatWasChecked) {
  Outcome outcome;
  outcome.checked = 61;
  EXPECT_EQ(verdict_of(outcome), "nothing to say: 61 checks passed\n");
  outcome.checked = 1;
  EXPECT_EQ(verdict_of(outcome), "nothing to say: 1 check passed\n");
  EXPECT_EQ(verdict_of(outcome, {.language = Language::Chinese}), "无可报告：1 项检查通过\n");
  outcome.checked = 61;
  outcome.not_checked = {{"SX1", "a", {}, Message{}}};
  EXPECT_EQ(verdict_of(outcome), "nothing to say: 61 checks passed, 1 not run\n");
  outcome.not_checked = {
      {"SX1", "a", {}, kNoDriver}, {"SX2", "b", {}, kNoNvml}, {"SX3", "c", {}, kNoNvml}};
  EXPECT_EQ(verdict_of(outcome, {.width = 120}),
            "nothing to say: 61 checks passed, 3 not run (NVML not found, so the links are "
            "unknown; no driver)\n");
  EXPECT_EQ(verdict_of(outcome, {.language = Language::Chinese}),
            "无可报告：61 项检查通过，3 项未检查（未找到 NVML，链路未知；没有驱动）\n");
}

TEST(Verdict, NamesTheThreeMostFrequentReasons) {
  Outcome outcome;
  for (const Text reason :
       {kNoDisk, kNoModel, kNoDriver, kNoDriver, kNoNvml, kNoNvml, kNoNvml, kNoModel}) {
    outcome.not_checked.push_back({"SX1", "a", {}, reason});
  }
  EXPECT_EQ(verdict_of(outcome, {.width = 150}),
            "nothing to say: 0 checks passed, 8 not run (NVML not found, so the links are unknown; "
            "no config.json; no driver; other reasons)\n");
}

TEST(Verdict, OneIsNotMany) {
  Outcome outcome;
  outcome.diagnostics = {simple("SX2103", Severity::Error, "e"),
                         simple("SX3108", Severity::Warning, "w"),
                         simple("SX8001", Severity::Advice, "a")};
  outcome.not_checked = {{"SX6201", "n", {}, kNoDriver}};
  outcome.held_back = {{"SX3108", "SX2103"}, {"SX3109", "SX2104"}};
  EXPECT_EQ(verdict_of(outcome, {.width = 120}),
            "1 error, 1 warning; 1 check not run (no driver)\n"
            "1 more check waits for SX2103; 1 more check waits for SX2104; 1 piece of advice "
            "hidden (--all)\n");
}

TEST(Verdict, SaysWhatWasAssumed) {
  Outcome outcome;
  outcome.checked = 3;
  const Asked asked{.engine = "vllm",
                    .version = "0.33.0",
                    .version_assumed = true,
                    .assumptions = {plain("A100: the 80 GB SXM card was taken")},
                    .budget_table = "GPU 0  weights\n"};
  EXPECT_EQ(verdict_of(outcome, {}, asked),
            R"(GPU 0  weights

nothing to say: 3 checks passed
vllm 0.33.0 was assumed, the newest version known; --engine-version says another
A100: the 80 GB SXM card was taken
)");
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(Folding, WarningsAfterTheFifthAreOneLineEach) {
  Outcome outcome;
  for (int i = 0; i < 8; ++i)
    outcome.diagnostics.push_back(simple("SX3108", Severity::Warning, "w"));
  const std::string page = render_text(outcome, Sources{}, Asked{}, Style{});
  EXPECT_EQ(count(page, "warning[SX3108]: w\n"), 8U);
  EXPECT_EQ(count(page, "explain:"), 5U);
  EXPECT_EQ(count(page, "w\nwarning[SX3108]: w\nwarning[SX3108]: w\n\n"), 1U);
  EXPECT_NE(page.find("8 warnings\n3 warnings shown as one line each (--all)\n"), std::string::npos)
      << page;
  const std::string all = render_text(outcome, Sources{}, Asked{}, Style{.all = true});
  EXPECT_EQ(count(all, "explain:"), 8U);
  EXPECT_TRUE(all.ends_with("\n\n8 warnings\n"));
}

TEST(Folding, AdviceOnlyWithoutErrorsAndAtMostThree) {
  Outcome outcome;
  for (int i = 0; i < 5; ++i)
    outcome.diagnostics.push_back(simple("SX8001", Severity::Advice, "a"));
  std::string page = render_text(outcome, Sources{}, Asked{}, Style{});
  EXPECT_EQ(count(page, "advice[SX8001]"), 3U);
  EXPECT_TRUE(page.ends_with("\n\n5 pieces of advice\n2 pieces of advice hidden (--all)\n"))
      << page;
  outcome.diagnostics.insert(outcome.diagnostics.begin(), simple("SX2103", Severity::Error, "e"));
  page = render_text(outcome, Sources{}, Asked{}, Style{});
  EXPECT_EQ(count(page, "advice[SX8001]"), 0U);
  EXPECT_EQ(count(render_text(outcome, Sources{}, Asked{}, Style{.all = true}), "advice[SX8001]"),
            5U);
}

TEST(SamePlace, SharesOneExcerpt) {
  Sources sources;
  Outcome outcome;
  const int command = command_line(sources, "vllm serve m --tp 8 --pp 2");
  const int config = file(sources, "config.json", "{\"heads\": 28}");
  Diagnostic first = simple("SX2103", Severity::Error, "one");
  first.labels = {{span_of(sources, command, "--tp 8"), plain("8 GPUs"), true}};
  Diagnostic second = simple("SX2107", Severity::Error, "two");
  second.labels = {{span_of(sources, command, "--tp 8"), plain("eight of four"), true},
                   {span_of(sources, config, "\"heads\": 28"), {}, false}};
  Diagnostic third = second;
  outcome.diagnostics = {first, second, third};
  EXPECT_EQ(render_text(outcome, sources, Asked{}, Style{}),
            R"(error[SX2103]: one
 --> command line
  |
  | vllm serve m --tp 8 --pp 2
  |              ^^^^^^ 8 GPUs
  = because   that is how it is
explain: sextant explain SX2103

error[SX2107]: two
 --> same place as above
  = here      eight of four
 ::: config.json:1
  |
1 | {"heads": 28}
  |  -----------
  |
  = because   that is how it is
explain: sextant explain SX2107

error[SX2107]: two
 --> same place as above
  = because   that is how it is
explain: sextant explain SX2107

3 errors
)");
  EXPECT_EQ(count(render_text(outcome, sources, Asked{}, {.language = Language::Chinese}),
                  " --> 位置同上\n"),
            2U);
}

TEST(Fixes, AreWholeAndNeverWrapped) {
  Sources sources;
  Diagnostic d = simple("SX2103", Severity::Error, "t");
  std::string command = "vllm serve m";
  for (int i = 0; i < 40; ++i) command += " --flag-number-" + std::to_string(i) + " 'a b'";
  d.fixes = {{.title = plain("first"), .command = command},
             {.title = plain("second"), .command = "a \\\n  --b\tc"}};
  const std::string text = render_text(d, sources, {.width = 60});
  EXPECT_NE(
      text.find("fix: first\n    " + command + "\nfix: second\n    a \\\n      --b\tc\nexplain:"),
      std::string::npos)
      << text;
  d.fixes.clear();
  d.no_fix = plain("none of these cards has FP8 units");
  EXPECT_NE(render_text(d, sources, {}).find("\nby hand: none of these cards has FP8 units\n"),
            std::string::npos);
  EXPECT_NE(render_text(d, sources, {.language = Language::Chinese}).find("\n手动处理: none"),
            std::string::npos);
}

TEST(Short, IsOneLineAFinding) {
  Sources sources;
  Outcome outcome;
  outcome.diagnostics = {product(sources), simple("SX3108", Severity::Warning, "two\nlines\x1b[0m"),
                         simple("SX8001", Severity::Advice, "a")};
  const int script = file(sources, "serve.sh", "#!/bin/sh\nvllm 通义 --tp 8\n");
  outcome.diagnostics[2].labels = {{span_of(sources, script, "--tp"), {}, true}};
  EXPECT_EQ(render_short(outcome, sources, Style{}),
            "command line:1:38: error[SX2103]: 64 attention heads cannot be split over 6 GPUs\n"
            "warning[SX3108]: two␊lines␛[0m\n"
            "serve.sh:2:9: advice[SX8001]: a\n");
  EXPECT_TRUE(render_short(outcome, sources, {.language = Language::Chinese})
                  .starts_with("命令行:1:38: 错误[SX2103]: 64 个"));
  EXPECT_EQ(render_short(Outcome{}, sources, Style{}), "");
}

TEST(Colour, IsBalancedAndChangesNothingElse) {
  Sources sources;
  Outcome outcome = mixed();
  outcome.diagnostics.insert(outcome.diagnostics.begin(), product(sources));
  const std::string plain_page = render_text(outcome, sources, Asked{}, Style{});
  EXPECT_EQ(plain_page.find('\x1b'), std::string::npos);
  std::string page = render_text(outcome, sources, Asked{}, Style{.colour = true});
  std::string without;
  bool open = false;
  for (std::size_t at = 0; at < page.size(); ++at) {
    if (page[at] != '\x1b') {
      EXPECT_FALSE(open && page[at] == '\n') << "a colour runs over the end of a line";
      without += page[at];
      continue;
    }
    const auto end = page.find('m', at);
    const bool resets = page.substr(at, end - at + 1) == "\x1b[0m";
    EXPECT_EQ(open, resets);
    open = !resets;
    at = end;
  }
  EXPECT_FALSE(open);
  EXPECT_EQ(without, plain_page);
}

TEST(Verdict, AnErrorThatNoFixClearsIsSaidAboveTheCommand) {
  Sources sources;
  Outcome outcome;
  outcome.diagnostics = {simple("SX3104", Severity::Error, "no room")};
  outcome.combined.command = "vllm serve m";
  const Style english{}, chinese{.language = Language::Chinese};
  EXPECT_NE(render_text(outcome, sources, {}, english).find("(an error stays):\n    vllm serve m"),
            std::string::npos);
  EXPECT_NE(render_text(outcome, sources, {}, chinese).find("（仍有错误）:\n    vllm serve m"),
            std::string::npos);
}

}  // namespace
}  // namespace sx::examples
