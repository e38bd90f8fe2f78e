// A log gives the same answer in whatever pieces it comes, and an answer once found stays when only
// echoes follow.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/diagnose_answer.h"
#include "logs/diagnosis.h"
#include "logs/run_reader.h"

namespace sx {
namespace {

SignatureSet& set() {
  static SignatureSet all(signatures());
  return all;
}

std::vector<std::string> recorded() {
  std::vector<std::string> logs;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SEXTANT_SOURCE_DIR "/tests/logs")) {
    if (entry.path().extension() == ".log") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    logs.push_back(bytes.str());
  }
  return logs;
}

std::string answered(const std::vector<std::string>& pieces) {
  RunReader reader(set());
  reader.begin_file("x.log");
  for (const std::string& piece : pieces) reader.feed(piece);
  reader.end_file();
  RunLog run = reader.take();
  Diagnosis diagnosis = diagnose(run);
  return diagnose_json(answer_of(std::move(run), std::move(diagnosis)));
}

std::vector<std::string> cut(const std::string& text, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> at{0, text.size()};
  for (const std::size_t place : places) at.push_back(text.empty() ? 0 : place % (text.size() + 1));
  std::ranges::sort(at);
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    pieces.push_back(text.substr(at[i], at[i + 1] - at[i]));
  return pieces;
}

TEST(DiagnoseLaws, RecordedLogsGiveTheSameAnswerInAnyPieces) {
  const auto logs = recorded();
  ASSERT_GT(logs.size(), 10U);
  for (const std::string& log : logs) {
    const std::string whole = answered({log});
    EXPECT_TRUE(rc::check([&](const std::vector<std::uint16_t>& places) {
      std::vector<std::size_t> at;
      for (const auto place : places) at.push_back(std::size_t{place} * 7919);
      RC_ASSERT(answered(cut(log, at)) == whole);
    }));
    std::vector<std::string> bytes;
    for (const char c : log.substr(0, 20000)) bytes.emplace_back(1, c);
    if (log.size() <= 20000) EXPECT_EQ(answered(bytes), whole);
  }
}

// Lines of signatures, broken and mixed, in pieces.
TEST(DiagnoseLaws, MixedLinesGiveTheSameAnswerInAnyPieces) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& picks,
                           const std::vector<std::uint16_t>& places) {
    const auto rows = signatures();
    constexpr std::string_view kEnds[] = {"\n", "\r\n", "\r", "\n\n"};
    std::string text;
    for (const std::uint16_t pick : picks) {
      const std::string_view example = rows[pick % rows.size()].example;
      text += example.substr(pick % 3 == 0 ? std::min<std::size_t>(pick % 50, example.size()) : 0);
      text += kEnds[pick % std::size(kEnds)];
    }
    std::vector<std::size_t> at(places.begin(), places.end());
    RC_ASSERT(answered(cut(text, at)) == answered({text}));
  }));
}

// Whoever reads on after a certain cause, and finds only what passes it on, keeps the answer.
// A wrapper that names a cause of its own ("Worker failed with error 'CUDA out of memory'") is more
// than an echo.
TEST(DiagnoseLaws, EchoesDoNotChangeTheAnswer) {
  const auto cause = [](const std::string& log) {
    RunReader reader(set());
    reader.begin_file("x");
    reader.feed(log);
    reader.end_file();
    const Diagnosis answer = diagnose(reader.take());
    return answer.causes.empty() ? std::string()
                                 : std::string(answer.causes.front().name) +
                                       std::to_string(answer.causes.front().root.place.line);
  };
  std::vector<const SignatureRow*> roots;
  std::vector<const SignatureRow*> echoes;
  for (const SignatureRow& row : signatures()) {
    if (row.kind == SignatureKind::Root && row.certainty == Certainty::Certain)
      roots.push_back(&row);
    const bool passes_on = row.kind == SignatureKind::Wrapper || row.kind == SignatureKind::Noise;
    if (passes_on && cause(std::string(row.example) + "\n").empty()) echoes.push_back(&row);
  }
  EXPECT_TRUE(rc::check([&](std::uint16_t root, const std::vector<std::uint16_t>& picks) {
    std::string text = std::string(roots[root % roots.size()]->example) + "\n";
    const std::string before = cause(text);
    for (const std::uint16_t pick : picks)
      text += std::string(echoes[pick % echoes.size()]->example) + "\n";
    RC_ASSERT(cause(text) == before);
  }));
}

}  // namespace
}  // namespace sx
