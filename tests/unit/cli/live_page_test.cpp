// The table beside a deployment: whatever the daemon says, it fits the terminal.
#include "cli/live_page.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>

#include "cli/daemon_talk.h"
#include "cli/span_words.h"
#include "logs/run_log.h"
#include "run/replica_state.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

const json::object& status() {
  static const json::object made =
      json::parse(R"({"deployment":"default","state":"starting","layout":"3 x TP2",
        "address":"http://127.0.0.1:8000","replicas":[
        {"replica":0,"state":"ready","for_ms":4200,"in_flight":2,"gpus":[0,1]},
        {"replica":1,"state":"starting","stage":"load","for_ms":9000,"progress":42,"left_ms":31000,"gpus":[2,3]},
        {"replica":2,"state":"failed","for_ms":900,"gpus":[],"next_try_ms":5000,
         "cause":{"name":"oom-cudagraph","title":"no memory is left for CUDA graphs"}}],
        "notes":[{"name":"layout-known-bad","message":"TP4 is left out: it failed here","message_zh":"跳过 TP4"}]})")
          .as_object();
  return made;
}
const json::array& events() {
  static const json::array made =
      json::parse(R"([{"replica":0,"from":"warming","to":"ready","reason":"warmed-up"}])")
          .as_array();
  return made;
}
std::vector<std::string> page(std::size_t width, std::size_t height,
                              Language language = Language::English, int interrupts = 0) {
  return live_page({.status = status(), .events = events(), .interrupts = interrupts},
                   {.language = language, .width = width, .height = height});
}
bool holds(const std::vector<std::string>& lines, std::string_view words) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(words); });
}

TEST(LivePage, SaysWhatAPersonWantsToKnow) {
  const auto lines = page(100, 24);
  for (const char* words :
       {"default  3 x TP2  http://127.0.0.1:8000  starting", "ready", "2 in flight", "GPU 0,1",
        "[######..........]  42 %  31 s left", "no memory is left for CUDA graphs",
        "next try in 5 s", "TP4 is left out", "replica 0: warming -> ready (warmed up)",
        "Ctrl-C takes it down"})
    EXPECT_TRUE(holds(lines, words)) << words << '\n' << lines[2];
  const auto chinese = page(100, 24, Language::Chinese);
  for (const char* words : {"启动中", "剩余 31 秒", "在途 2", "跳过 TP4", "按 Ctrl-C 停止部署"})
    EXPECT_TRUE(holds(chinese, words)) << words;
}

TEST(LivePage, FitsEveryTerminal) {
  for (const Language language : {Language::English, Language::Chinese}) {
    for (std::size_t width = 20; width <= 200; width += 7) {
      for (const std::size_t height : {6U, 8U, 12U, 50U}) {
        const auto lines = page(width, height, language);
        EXPECT_LT(lines.size(), height);
        for (const std::string& line : lines) EXPECT_LT(columns(line), width) << line;
      }
    }
  }
}

TEST(LivePage, NarrowOnesGetNumbersAlone) {
  const auto lines = page(40, 24);
  EXPECT_FALSE(holds(lines, "###"));
  EXPECT_FALSE(holds(lines, "GPU"));
  EXPECT_TRUE(holds(lines, "42 %"));
  EXPECT_TRUE(holds(lines, "http://127.0.0.1:8000"));
}

TEST(LivePage, SaysWhatAnotherInterruptDoes) {
  EXPECT_TRUE(holds(page(100, 24, Language::English, 1), "Ctrl-C again ends it at once"));
  EXPECT_TRUE(holds(page(100, 24, Language::English, 2), "ending at once"));
}

TEST(LivePage, ManyReplicasAreCounted) {
  json::object many = status();
  json::array replicas;
  for (int i = 0; i < 100; ++i)
    replicas.push_back(json::object{{"replica", i}, {"state", "ready"}, {"for_ms", 1}});
  many["replicas"] = replicas;
  const auto lines = live_page({.status = many, .events = events()}, {.width = 80, .height = 24});
  EXPECT_LT(lines.size(), 24U);
  EXPECT_TRUE(holds(lines, "... and "));
}

TEST(LivePage, WordsFromElsewhereMoveNoCursor) {
  json::object hostile = status();
  hostile["layout"] = "\x1b[2J\r\n";
  hostile["notes"] = json::array{json::object{{"message", "\x1b[31mred\n"}}};
  for (const std::string& line :
       live_page({.status = hostile, .events = {}}, {.width = 80, .height = 24}))
    EXPECT_EQ(line.find_first_of("\x1b\r\n"), std::string::npos) << line;
  // And an answer that says nothing is shown as one.
  EXPECT_FALSE(live_page({.status = {}, .events = {}}, {.width = 80, .height = 24}).empty());
}

TEST(LivePage, ReasonsAreWordsOfTheReadersLanguage) {
  EXPECT_TRUE(holds(page(100, 24, Language::Chinese), "预热中 -> 就绪（预热完成）"));
  EXPECT_EQ(reason_name("oom-weights-too-big", Language::English), "oom-weights-too-big");
  EXPECT_NE(reason_name("oom-weights-too-big", Language::Chinese), "oom-weights-too-big");
  EXPECT_EQ(reason_name("of a later daemon", Language::Chinese), "of a later daemon");
}

TEST(LivePage, BarsAndSpans) {
  EXPECT_EQ(bar_of(0, 12), "[..........]");
  EXPECT_EQ(bar_of(55, 12), "[#####.....]");
  EXPECT_EQ(bar_of(300, 12), "[##########]");
  EXPECT_EQ(span_of(31'400, Language::English), "31 s");
  EXPECT_EQ(span_of(240'000, Language::English), "4 min");
  EXPECT_EQ(span_of(7'300'000, Language::Chinese), "2 小时");
  EXPECT_EQ(span_of(-5, Language::English), "0 s");
  EXPECT_EQ(span_of(119'499, Language::English), "119 s");
  EXPECT_EQ(span_of(119'500, Language::English), "2 min");
  EXPECT_EQ(span_of(93'211'000, Language::English), "25 h");
  EXPECT_EQ(span_of(2 * 86'400'000, Language::English), "2 days");
  EXPECT_EQ(span_of(400 * 86'400'000LL, Language::Chinese), "400 天");
  EXPECT_EQ(span_of(std::numeric_limits<std::int64_t>::max(), Language::English),
            "106751991167 days");
}

TEST(ReplicaLine, SaysTimesInUnitsOfPeople) {
  json::object replica =
      json::parse(R"({"replica":0,"state":"ready","for_ms":93211000,"port":8001})").as_object();
  EXPECT_EQ(replica_line(replica, Language::English),
            "replica 0  ready               25 h      port 8001\n");
  EXPECT_EQ(replica_line(replica, Language::Chinese),
            "副本 0     就绪                25 小时   端口 8001\n");
  replica["for_ms"] = 4230;
  EXPECT_TRUE(replica_line(replica, Language::English).contains(" 4.2 s "));
  EXPECT_TRUE(replica_line(replica, Language::Chinese).contains(" 4.2 秒 "));
  replica["next_try_ms"] = 240'000;
  EXPECT_TRUE(replica_line(replica, Language::English).contains("next try in 4 min"));
  EXPECT_TRUE(replica_line(replica, Language::Chinese).contains("4 分钟后重试"));
  replica["progress"] = 40;
  replica["left_ms"] = 7'300'000;
  EXPECT_TRUE(replica_line(replica, Language::English).contains("40 %, about 2 h left"));
  EXPECT_TRUE(replica_line(replica, Language::Chinese).contains("40 %，约剩 2 小时"));
}

// Small letters of English are no part of a Chinese line; names of causes stand beside their title.
bool has_small_letters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

TEST(ReplicaLine, IsChineseInEveryStateAndStage) {
  for (int i = 0; i < kReplicaStates; ++i) {
    for (int j = static_cast<int>(Phase::Start); j <= static_cast<int>(Phase::Shutdown); ++j) {
      const json::object replica{{"replica", 0},
                                 {"state", word_of(static_cast<ReplicaState>(i))},
                                 {"stage", word(static_cast<Phase>(j))},
                                 {"for_ms", 4230},
                                 {"port", 8001},
                                 {"next_try_ms", 100'000},
                                 {"progress", 4},
                                 {"in_flight", 3},
                                 {"retires", true}};
      const std::string line = replica_line(replica, Language::Chinese);
      EXPECT_FALSE(has_small_letters(line)) << line;
    }
  }
}

TEST(ReplicaLine, SaysWhatWeOurselvesBlameInChinese) {
  for (const char* name : {"warm-up", "stalled", "frozen", "wedged", "program-absent"}) {
    const json::object cause{{"name", name}, {"title", ""}};
    EXPECT_FALSE(has_small_letters(cause_title(cause, Language::Chinese))) << name;
  }
  const json::object lost{{"name", "keeper-lost"}, {"title", ""}};
  EXPECT_EQ(cause_title(lost, Language::English), "its keeper is gone");
}

}  // namespace
}  // namespace sx
