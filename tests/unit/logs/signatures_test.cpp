// The rows of the signature tables keep their promises: each finds its own example, and what an
// example is read as is what its row says.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "knowledge/causes.h"
#include "logs/diagnosis.h"
#include "logs/refine.h"
#include "logs/run_reader.h"

namespace sx {
namespace {

bool says(const SignatureRow& row) {
  return row.kind == SignatureKind::Root || row.kind == SignatureKind::Symptom ||
         row.kind == SignatureKind::Request;
}

RunLog run_of(std::string_view text) {
  static SignatureSet set(signatures());
  RunReader reader(set);
  reader.begin_file("x.log");
  reader.feed(text);
  reader.end_file();
  return reader.take();
}

TEST(SignatureTable, IdsAreUniqueAndRowsAreWhole) {
  std::set<std::string_view> ids;
  for (const SignatureRow& row : signatures()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_FALSE(row.literals.empty()) << row.id;
    EXPECT_FALSE(row.source.empty()) << row.id;
    for (const auto literal : row.literals) EXPECT_GE(literal.size(), kShortestLiteral) << row.id;
  }
  EXPECT_GT(ids.size(), 400U);
}

TEST(SignatureTable, EachPatternCompilesAndMatchesItsOwnExample) {
  for (const SignatureRow& row : signatures()) {
    Pattern pattern;
    ASSERT_TRUE(pattern.compile(row.pattern)) << row.id;
    EXPECT_TRUE(std::ranges::any_of(row.literals, [&](std::string_view literal) {
      return row.example.contains(literal.substr(0, literal.find("\\n")));  // the line's end
    })) << row.id;
    LogLineReader reader;
    Found found;
    EXPECT_TRUE(pattern.find(reader.read(row.example).text, found))
        << row.id << ": " << row.example;
  }
}

TEST(SignatureTable, EachCauseHasItsWords) {
  const auto known = [](std::string_view name) {
    return find_cause(name) != nullptr ||
           std::ranges::any_of(refinements(),
                               [&](const RefinementRow& row) { return row.from == name; });
  };
  for (const SignatureRow& row : signatures()) {
    if (says(row)) EXPECT_TRUE(known(row.cause)) << row.id << ": " << row.cause;
  }
  for (const RefinementRow& row : refinements()) {
    if (!row.to.empty()) EXPECT_TRUE(known(row.to)) << row.from << " -> " << row.to;
  }
}

TEST(SignatureTable, EachStageNamesAPhase) {
  for (const SignatureRow& row : signatures()) {
    if (row.kind == SignatureKind::Stage) EXPECT_NE(phase_of(row.cause), Phase::Unknown) << row.id;
  }
}

// No other signature takes a root's own example away from it: what is nearest to the root among all
// that match reads as the same cause.
TEST(SignatureTable, NoOtherRootReadsAnExampleAsSomethingElse) {
  for (const SignatureRow& row : signatures()) {
    if (row.kind != SignatureKind::Root) continue;
    const RunLog run = run_of(std::string(row.example) + "\n");
    const auto own =
        std::ranges::find_if(run.events, [&](const LogEvent& event) { return event.row == &row; });
    ASSERT_NE(own, run.events.end()) << row.id << ": " << row.example;
    const std::string_view cause = read_in_place(*own, run).cause;
    for (const LogEvent& other : run.events) {
      if (other.row->rank > row.rank || other.row->kind == SignatureKind::Request) continue;
      EXPECT_EQ(read_in_place(other, run).cause, cause)
          << row.id << " and " << other.row->id << ": " << row.example;
    }
  }
}

TEST(SignatureTable, HostileLinesEndSoon) {
  const std::string kinds[] = {std::string(16000, 'a'), std::string(16000, '('),
                               std::string(16000, ' '), std::string(16000, '9'), [] {
                                 std::string text;
                                 while (text.size() < 16000) text += "Error: is not divisible by ";
                                 return text;
                               }()};
  const auto began = std::chrono::steady_clock::now();
  for (const SignatureRow& row : signatures()) {
    Pattern pattern;
    ASSERT_TRUE(pattern.compile(row.pattern)) << row.id;
    for (const std::string& line : kinds) {
      const auto start = std::chrono::steady_clock::now();
      Found found;
      pattern.find(line + std::string(row.literals.front()), found);
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << row.id;
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

TEST(CauseTable, CodesStandInOrderAndSentencesAreWhole) {
  std::string_view last;
  std::set<std::string_view> names;
  for (const CauseRow& row : causes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const Sentence& sentence : {row.title, row.because, row.sure, row.fix}) {
      EXPECT_FALSE(sentence.english.empty()) << row.name;
      EXPECT_FALSE(sentence.chinese.empty()) << row.name;
    }
    EXPECT_FALSE(row.title.english.ends_with('.')) << row.name;
    EXPECT_LE(row.title.english.size(), 90U) << row.name;
    EXPECT_EQ(row.numbers.english.empty(), row.numbers.chinese.empty()) << row.name;
    if (row.code.empty()) continue;
    EXPECT_TRUE(row.code.starts_with("SX7")) << row.name;
    EXPECT_LT(last, row.code) << row.name;
    last = row.code;
  }
}

}  // namespace
}  // namespace sx
