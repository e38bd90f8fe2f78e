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
             .process = process_of_line(line),
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

}  // namespace

// Whole lines are looked at as they come; the beginning of the last one waits for its end.
struct MemoryLogReader::State {
  std::vector<Reader> readers;
  std::optional<LiteralFilter> filter;
  std::string begun;       // of a line whose end has not come
  bool too_long = false;   // what is left of the line is not looked at
  std::size_t number = 1;  // of the line that is begun
  std::size_t lines = 0;   // of the files before
  int file = 0;

  void take(std::string_view text) {
    if (too_long) {
      const auto end = text.find('\n');
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
      too_long = false;
      ++number;
    }
    if (!begun.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      begun += text.substr(0, end);
      text.remove_prefix(end);
      if (!text.empty()) {
        text.remove_prefix(1);
        take_whole(begun);
        begun.clear();
        ++number;
      }
    }
    const auto last = text.rfind('\n');
    if (last != std::string_view::npos) {
      const std::string_view whole = text.substr(0, last + 1);
      take_whole(whole);
      number += line_ends(whole);
      text.remove_prefix(last + 1);
    }
    begun += text;
    if (begun.size() < kLongestLine) return;
    take_whole(begun);
    begun.clear();
    too_long = true;
  }

  void end_file() {
    if (!begun.empty()) take_whole(begun);
    begun.clear();
    too_long = false;
    lines += number;
    number = 1;
    ++file;
  }

  // Logs are mostly lines of other things, and those cost no more than a look.
  void take_whole(std::string_view text) {
    if (!filter) {
      std::size_t at = number;
      for (const std::string_view line : split(text, '\n')) take_line(readers, line, file, at++);
      return;
    }
    std::size_t at = number, counted = 0;  // the number of the line that holds the byte `counted`
    std::size_t done = 0;                  // everything before was looked at
    filter->scan(text, [&](const char* hit, int) {
      const auto place = static_cast<std::size_t>(hit - text.data());
      if (place >= done) {
        const auto before = text.rfind('\n', place);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        done = std::min(text.find('\n', place), text.size());
        at += line_ends(text.substr(counted, begin - counted));
        counted = begin;
        take_line(readers, text.substr(begin, done - begin), file, at);
      }
      return text.data() + done;
    });
  }
};

MemoryLogReader::MemoryLogReader(std::string_view engine) : state_(std::make_unique<State>()) {
  for (const std::string_view one : kEnginesWithTables) {
    if (engine.empty() || engine == one) state_->readers.push_back({.engine = one, .log = {}});
  }
  state_->filter = filter_of(state_->readers);
}

MemoryLogReader::MemoryLogReader(MemoryLogReader&&) noexcept = default;
MemoryLogReader& MemoryLogReader::operator=(MemoryLogReader&&) noexcept = default;
MemoryLogReader::~MemoryLogReader() = default;

void MemoryLogReader::feed(std::string_view text) { state_->take(text); }

void MemoryLogReader::end_file() { state_->end_file(); }

MemoryLog MemoryLogReader::log() const {
  const auto best = std::ranges::max_element(state_->readers, {}, &Reader::told);
  MemoryLog log;
  if (best != state_->readers.end() && best->told > 0) {
    log = best->log;
    log.engine = best->engine;
  }
  log.lines = state_->lines;
  return log;
}

MemoryLog read_memory_log(const std::vector<std::string_view>& texts, std::string_view engine) {
  MemoryLogReader reader(engine);
  for (const std::string_view text : texts) {
    reader.feed(text);
    reader.end_file();
  }
  return reader.log();
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
