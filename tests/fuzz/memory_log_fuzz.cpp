// Any bytes as a start-up log: no crash, readings bounded and each in its place, the same whatever
// pieces they come in, and the command that is made of the echoed settings holds no secret.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "facts/secret_names.h"
#include "gather/learned_store.h"
#include "logs/launch_words.h"
#include "logs/memory_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sx::MemoryLog log = sx::read_memory_log({text});
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  SX_ASSERT(log.lines == lines);
  for (const sx::MemoryReading& reading : log.readings)
    SX_ASSERT(reading.line >= 1 && reading.line <= lines && !reading.name.empty());
  sx::MemoryLogReader reader;
  const std::size_t piece = size % 13 + 1;
  for (std::size_t at = 0; at < size; at += piece) reader.feed(text.substr(at, piece));
  reader.end_file();
  const sx::MemoryLog pieces = reader.log();
  SX_ASSERT(pieces.lines == lines && pieces.engine == log.engine);
  SX_ASSERT(std::ranges::equal(pieces.readings, log.readings, [](const auto& a, const auto& b) {
    return a.line == b.line && a.text == b.text && a.name == b.name;
  }));
  // A value may be any text, that of a flag included.
  const auto is_value = [&log](const std::string& word) {
    return std::ranges::any_of(log.launch, [&word](const auto& setting) {
      const sx::PythonValue& value = setting.second;
      return value.text == word || std::ranges::find(value.items, word) != value.items.end();
    });
  };
  for (const std::string& word : sx::launch_words(log).words)
    SX_ASSERT(!word.starts_with("--") || !sx::names_secret(word) || is_value(word));
  // The kept file: what can be read comes out again as it went in, nothing is lost.
  const sx::LearnedStore store = sx::parse_learned(text);
  for (const sx::LearnedRun& run : store.runs) {
    const sx::LearnedStore again = sx::parse_learned(sx::to_line(run));
    SX_ASSERT(again.runs.size() == 1 && again.other_lines.empty());
  }
  return 0;
}
