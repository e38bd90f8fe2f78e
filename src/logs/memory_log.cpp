// Lines with a literal of a pattern are held against the patterns of each engine; the engine with
// most of them it is.
#include "logs/memory_log.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "knowledge/memory_lines.h"
#include "knowledge/per_engine.h"
#include "logs/literal_filter.h"

namespace sx {
namespace {

constexpr std::size_t kLongestLine = std::size_t{256} << 10U;  // echoed settings are long
constexpr std::size_t kKeptText = 300;
constexpr std::size_t kMostReadings = 20'000;  // 256 GPUs with every line there is

// "TP3" → 3 for "TP"; -1: the tag is not there.
int tagged_number(std::string_view text, std::string_view tag) {
  for (auto at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == '_' || text[at - 1] == ' ';
    std::size_t end = at + tag.size();
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const auto number = to_integer(text.substr(at + tag.size(), end - at - tag.size()));
    constexpr long long kMost = 100'000;
    if (begins && number && *number >= 0 && *number < kMost) return static_cast<int>(*number);
  }
  return -1;
}

// "(Worker_PP1_TP0 pid=812) INFO …" of vLLM, "[2025-11-30 10:00:00 DP0 TP1] …" of SGLang.
LogProcess process_of(std::string_view line) {
  LogProcess process;
  const bool round = line.starts_with('(');
  if (!round && !line.starts_with('[')) return process;
  constexpr std::size_t kLongestPrefix = 120;
  const auto close = line.substr(0, kLongestPrefix).find(round ? ')' : ']');
  if (close == std::string_view::npos) return process;
  const std::string_view prefix = line.substr(1, close - 1);
  process.data = tagged_number(prefix, "DP");
  process.pipeline = tagged_number(prefix, "PP");
  process.tensor = tagged_number(prefix, "TP");
  process.rank = tagged_number(prefix, "rank=");
  // The time of SGLang's prefix is no part of a name.
  const bool named = round || process.data >= 0 || process.pipeline >= 0 || process.tensor >= 0;
  if (round) process.name = prefix;
  if (!round && named) {
    for (const std::string_view word : split(prefix, ' ')) {
      if (word.size() > 2 && (word.starts_with("DP") || word.starts_with("PP") ||
                              word.starts_with("TP") || word.starts_with("EP")))
        process.name += (process.name.empty() ? "" : " ") + std::string(word);
    }
  }
  return process;
}

struct Reader {
  std::string_view engine;
  MemoryLog log;
  std::size_t told = 0;  // lines that fit a pattern

  // Everything before belongs to an earlier start.
  void begin_start() {
    log.readings.clear();
    log.launch.clear();
    ++log.starts;
  }

  void take_launch(std::string_view text, bool only_changes) {
    auto settings = parse_python_settings(text);
    if (!settings || settings->empty()) return;
    begin_start();
    log.launch = *std::move(settings);
    log.only_changes = only_changes;
  }

  void add(MemoryReading reading, std::string_view combine) {
    const auto same = std::ranges::find_if(log.readings, [&](const MemoryReading& other) {
      return other.name == reading.name && other.device == reading.device &&
             other.process == reading.process;
    });
    if (same == log.readings.end()) {
      if (log.readings.size() < kMostReadings) {
        log.readings.push_back(std::move(reading));
      } else {
        log.cut = true;
      }
      return;
    }
    if (combine == "first") return;
    if (combine == "sum") reading.value += same->value;
    *same = std::move(reading);
  }

  void take(const MemoryLineRow& row, const std::vector<CapturedValue>& values,
            std::string_view line, int file, std::size_t number) {
    ++told;
    std::string device;
    for (const CapturedValue& value : values) {
      if (value.name == "device") {
        device = value.text.substr(0, kKeptText);
      } else if (value.name == "version") {
        if (auto version = parse_version(value.text)) log.version = version;
      } else if (value.name == "launch" || value.name == "changes") {
        take_launch(value.text, value.name == "changes");
      } else {
        // Sums of devices grow with each line: weights behind a pool are those of another start.
        const bool again =
            !device.empty() && value.name == "weights" && find_reading(log, "kv") != nullptr;
        if (again) begin_start();
        add({.name = value.name,
             .value = value.number,
             .device = device,
             .process = process_of(line),
             .file = file,
             .line = number,
             .text = std::string(line.substr(0, kKeptText))},
            row.combine);
      }
    }
  }
};

// One line against the patterns of each engine.
void take_line(std::vector<Reader>& readers, std::string_view whole, int file, std::size_t number) {
  std::string_view line = whole.substr(0, kLongestLine);
  // A progress bar ends in a bare carriage return: what was printed last stands behind it.
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (Reader& reader : readers) {
    for (const MemoryLineRow& row : memory_lines(reader.engine)) {
      const auto values = captured(row, line);
      if (!values.empty()) reader.take(row, values, line, file, number);
    }
  }
}

// Empty: some pattern has no literal that is long enough, so that each line must be looked at.
std::optional<LiteralFilter> filter_of(const std::vector<Reader>& readers) {
  std::vector<LiteralFilter::Literal> literals;
  for (const Reader& reader : readers) {
    for (const MemoryLineRow& row : memory_lines(reader.engine)) {
      std::string_view longest;
      for (const MemoryLineRow::Piece& piece : row.pieces) {
        if (piece.kind == MemoryLineRow::Piece::Kind::Literal && piece.text.size() > longest.size())
          longest = piece.text;
      }
      if (longest.size() < kShortestLiteral) return {};
      literals.push_back({.text = longest});
    }
  }
  return LiteralFilter(literals, {});
}

std::size_t line_ends(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// Logs are mostly lines of other things, and those cost no more than a look.
void take_lines_with_literals(std::vector<Reader>& readers, const LiteralFilter& filter,
                              std::string_view text, int file) {
  std::size_t number = 1, counted = 0;  // the number of the line that holds the byte `counted`
  std::size_t done = 0;                 // everything before was looked at
  filter.scan(text, [&](const char* hit, int) {
    const auto at = static_cast<std::size_t>(hit - text.data());
    if (at >= done) {
      const auto before = text.rfind('\n', at);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      done = std::min(text.find('\n', at), text.size());
      number += line_ends(text.substr(counted, begin - counted));
      counted = begin;
      take_line(readers, text.substr(begin, done - begin), file, number);
    }
    return text.data() + done;
  });
}

}  // namespace

MemoryLog read_memory_log(const std::vector<std::string_view>& texts, std::string_view engine) {
  std::vector<Reader> readers;
  for (const std::string_view one : kEnginesWithTables) {
    if (engine.empty() || engine == one) readers.push_back({.engine = one, .log = {}});
  }
  const std::optional<LiteralFilter> filter = filter_of(readers);
  std::size_t lines = 0;
  for (std::size_t file = 0; file < texts.size(); ++file) {
    const int index = static_cast<int>(file);
    lines += line_ends(texts[file]) + 1;
    if (filter) {
      take_lines_with_literals(readers, *filter, texts[file], index);
      continue;
    }
    std::size_t number = 0;
    for (const std::string_view line : split(texts[file], '\n'))
      take_line(readers, line, index, ++number);
  }
  const auto best = std::ranges::max_element(readers, {}, &Reader::told);
  MemoryLog log;
  if (best != readers.end() && best->told > 0) {
    log = std::move(best->log);
    log.engine = best->engine;
  }
  log.lines = lines;
  return log;
}

const MemoryReading* find_reading(const MemoryLog& log, std::string_view name,
                                  const LogProcess* process) {
  const MemoryReading* found = nullptr;
  for (const MemoryReading& reading : log.readings) {
    if (reading.name == name && (process == nullptr || reading.process == *process))
      found = &reading;
  }
  return found;
}

}  // namespace sx
