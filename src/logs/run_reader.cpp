// Only lines with a literal of some signature are looked at; line numbers are counted up to them.
#include "logs/run_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "read/log_count.h"

namespace sx {
namespace {

constexpr int kMostOfOne = 64;                 // events of one signature that are kept
constexpr std::size_t kMostEvents = 4096;      // of all
constexpr std::uint64_t kEnoughOfStage = 512;  // more than there are ranks
constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostStages = 2000;
constexpr std::size_t kMostNear = 24;
constexpr std::size_t kLongestShown = 1000;                      // bytes of a line in an answer
constexpr std::size_t kLongestMatched = std::size_t{16} << 10U;  // a pattern may take its square
constexpr std::size_t kLongestArguments = std::size_t{32} << 10U;
constexpr std::uint64_t kLongestTraceback = 400;  // lines; farther away it is another one
// Of a line that is cut, literals count that lie wholly in what is kept, in whatever pieces it
// came.
constexpr std::ptrdiff_t kReadOfOverlong = kLongestLogLine - 1024;
constexpr std::string_view kTraceback = "traceback";
constexpr std::string_view kChain = "traceback-chain";
constexpr std::string_view kArguments = "arguments";
constexpr std::string_view kEndedWell = "ended-well";

// The last line with words in it.
std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of("\r\n \t");
  if (end == std::string_view::npos) return {};
  const std::size_t begin = text.find_last_of("\r\n", end);
  return text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                     end - (begin == std::string_view::npos ? 0 : begin + 1) + 1);
}

// A line of a traceback that quotes the program: what it would say is said below it. Assertions are
// told apart by their patterns.
bool is_source_code(std::string_view text) {
  constexpr std::string_view kIndent = "    ";
  if (!text.starts_with(kIndent)) return false;
  const std::string_view code = trimmed(text);
  const std::size_t key = code.find('"', 1);
  if (code.starts_with('"') && key != std::string_view::npos && code.substr(key).starts_with("\":"))
    return false;  // JSON
  for (const std::string_view front : {"raise ", "f\"", "\"", "'", "f'", "logger.", "return "}) {
    if (code.starts_with(front)) return true;
  }
  return false;
}

std::uint64_t lines_between(const char* begin, const char* end) {
  return count_line_ends({begin, static_cast<std::size_t>(end - begin)});
}

// Cut where a character ends.
std::string bounded(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end));
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Libraries and the kernel speak in the logs of all engines.
bool tells_engine(const SignatureRow& row) {
  return !row.engine.empty() && row.engine != "kernel" && row.engine != "nccl" &&
         row.engine != "torch";
}

// Of the words of another engine than the one that was said.
bool of_another_engine(const SignatureRow& row, const RunLog& run) {
  return run.engine_given && tells_engine(row) && row.engine != run.engine;
}

// Words that somebody may take for the cause of a failure.
bool passes_on(SignatureKind kind) {
  return kind == SignatureKind::Wrapper || kind == SignatureKind::Symptom ||
         kind == SignatureKind::Root;
}

}  // namespace

RunReader::RunReader(SignatureSet& signatures, TakeBeside beside)
    : signatures_(signatures),
      blocks_([this](std::string_view text) { block(text); }),
      decoder_([this](std::string_view text) { blocks_.feed(text); }),
      kept_(signatures.rows().size(), 0),
      seen_(signatures.rows().size(), nullptr),
      beside_(std::move(beside)) {
  run_.counts.resize(signatures.rows().size(), 0);
}

void RunReader::begin_file(std::string name) {
  run_.files.push_back({.name = std::move(name)});
  processes_.clear();
  file_phase_ = Phase::Unknown;
  line_number_ = 1;
  error_line_ = 0;
  beside_wants_ = false;
  blocks_ = LogBlocks([this](std::string_view text) { block(text); });
  decoder_ = LogDecoder([this](std::string_view text) { blocks_.feed(text); });
}

void RunReader::feed(std::string_view bytes) {
  run_.files.back().bytes += bytes.size();
  decoder_.feed(bytes);
}

void RunReader::end_file() {
  decoder_.end();
  blocks_.end();
  LogFile& file = run_.files.back();
  file.damaged = decoder_.damaged();
  file.cut_lines = blocks_.cut_lines();
}

RunLog RunReader::take() { return std::move(run_); }

void RunReader::block(std::string_view text) {
  LogFile& file = run_.files.back();
  counted_ = text.data();
  line_begin_ = line_end_ = nullptr;
  std::ranges::fill(seen_, nullptr);
  handed_to_ = nullptr;
  if (beside_wants_) hand_over(text, text.data(), line_number_, {});
  signatures_.filter().scan(
      text, [&](const char* at, int signature) { return hit(text, at, signature); });
  const char* const end = text.data() + text.size();
  if (const std::string_view words = last_line(text); !words.empty()) {
    file.last.line = line_number_ + lines_between(counted_, words.data());
    const LogLine line = lines_.read(words.substr(0, kLongestLogLine));
    file.last.text = bounded(line.whole, kLongestShown);
    file.last.process = line.process;
    file.last.rank = line.rank;
    file.last.stamp = line.stamp;
    file.last.seconds = line.seconds;
    file.last.file = static_cast<int>(run_.files.size()) - 1;
    last_of_block_ = file.last.text;
  }
  line_number_ += lines_between(counted_, end);
  file.lines = line_number_ - (text.ends_with('\n') ? 1 : 0);
}

// Line by line for as long as they are wanted; the place where signatures are looked for stays.
void RunReader::hand_over(std::string_view text, const char* from, std::uint64_t number,
                          std::string_view above) {
  const char* const end = text.data() + text.size();
  beside_wants_ = true;
  while (beside_wants_ && from < end) {
    const char* const to = std::find_if(from, end, ends_log_line);
    const auto length = std::min(static_cast<std::size_t>(to - from), kLongestLogLine);
    const LogLine line = beside_lines_.read({from, length});
    beside_wants_ = beside_({.line = line,
                             .before = above,
                             .file = static_cast<int>(run_.files.size()) - 1,
                             .number = number});
    above = {};
    handed_to_ = to;
    if (to == end) return;
    from = to + 1;
    if (*to == '\r' && from < end && *from == '\n') ++from;
    if (from[-1] == '\n') ++number;
  }
}

const char* RunReader::hit(std::string_view text, const char* at, int signature) {
  if (signature == kBeside) {
    if (!beside_ || (handed_to_ != nullptr && at < handed_to_)) return at;
    if (at < line_begin_ || at >= line_end_ || line_begin_ == nullptr) open_line(text, at);
    hand_over(text, line_begin_, line_number_, before_line_);
    return at;
  }
  const auto index = static_cast<std::size_t>(signature);
  const SignatureRow& row = signatures_.row(signature);
  // A server that serves says so every second; the first time is enough.
  if (row.kind == SignatureKind::Stage && run_.counts[index] >= kEnoughOfStage) return at;
  if (at < line_begin_ || at >= line_end_ || line_begin_ == nullptr) open_line(text, at);
  if (line_overlong_ && at - line_begin_ > kReadOfOverlong) return line_end_;
  if (seen_[index] == line_begin_) return at;
  seen_[index] = line_begin_;
  Found found;
  if (!signatures_.matches(signature, line_.text.substr(0, kLongestMatched), found)) return at;
  // A prompt may hold any error there is.
  if (row.kind == SignatureKind::Quote) return line_end_;
  keep(signature, found);
  return at;
}

void RunReader::open_line(std::string_view text, const char* at) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  line_end_ = std::find_if(at, end, ends_log_line);
  const char* from = at;
  while (from > begin && !ends_log_line(from[-1])) --from;
  line_begin_ = from;
  line_overlong_ = line_end_ - line_begin_ >= static_cast<std::ptrdiff_t>(kLongestLogLine);
  line_number_ += lines_between(counted_, line_begin_);
  counted_ = line_begin_;
  before_line_ = line_begin_ == begin
                     ? std::string_view(last_of_block_)
                     : last_line({begin, static_cast<std::size_t>(line_begin_ - begin)});
  const auto length = static_cast<std::size_t>(line_end_ - line_begin_);
  line_ = lines_.read({line_begin_, std::min(length, kLongestLogLine)});
}

RunReader::Process& RunReader::process_of_line() {
  const auto found = processes_.find(line_.process);
  if (found != processes_.end()) return found->second;
  if (processes_.size() >= kMostProcesses) return processes_.begin()->second;
  return processes_.emplace(std::string(line_.process), Process{}).first->second;
}

LogPlace RunReader::place(const Found& found) const {
  const auto before = static_cast<std::size_t>(line_.text.data() - line_.whole.data());
  const std::size_t begin = before + found.begin;
  return {.file = static_cast<int>(run_.files.size()) - 1,
          .line = line_number_,
          .column = 1 + code_points(line_.whole.substr(0, begin)),
          .begin = std::min(begin, kLongestShown),
          .end = std::min(before + found.end, kLongestShown),
          .text = bounded(line_.whole, kLongestShown),
          .process = std::string(line_.process),
          .rank = line_.rank,
          .level = line_.level,
          .stamp = std::string(line_.stamp),
          .seconds = line_.seconds};
}

LogEvent RunReader::event(const SignatureRow& row, const Found& found,
                          const Process& process) const {
  LogEvent made{.row = &row,
                .place = place(found),
                .captures = found.captures,
                .phase = std::max(process.phase, file_phase_),
                .start = run_.starts - 1,
                .chained = process.chained,
                .near = {},
                .before = bounded(before_line_, kLongestShown)};
  if (line_number_ - process.traceback <= kLongestTraceback) made.near = process.near;
  return made;
}

void RunReader::keep(int signature, const Found& found) {
  const auto index = static_cast<std::size_t>(signature);
  const SignatureRow& row = signatures_.row(signature);
  if (of_another_engine(row, run_)) return;
  const bool says = row.kind == SignatureKind::Root || row.kind == SignatureKind::Symptom ||
                    row.kind == SignatureKind::Request;
  if (says && is_source_code(line_.text)) return;
  ++run_.counts[index];
  if (passes_on(row.kind) && std::exchange(error_line_, line_number_) != line_number_)
    ++run_.error_lines;
  Process& process = process_of_line();
  switch (row.kind) {
    case SignatureKind::Mark:
      return mark(row, found, process);
    case SignatureKind::Stage:
      return stage(row, found, process);
    case SignatureKind::Wrapper:
      run_.wrapped = true;
      return note_engine(row, found);
    case SignatureKind::Quote:
      return;
    case SignatureKind::Noise:
      if (kept_[index]++ == 0) run_.noise.push_back(event(row, found, process));
      return;
    case SignatureKind::Root:
    case SignatureKind::Symptom:
    case SignatureKind::Request:
      if (kept_[index] >= kMostOfOne || run_.events.size() >= kMostEvents) return;
      ++kept_[index];
      run_.events.push_back(event(row, found, process));
      return;
  }
}

void RunReader::mark(const SignatureRow& row, const Found& found, Process& process) {
  if (row.cause == kTraceback) {
    process.chained = process.chain_comes;
    process.chain_comes = false;
    process.near.clear();
    process.traceback = line_number_;
    return;
  }
  if (row.cause == kChain) {
    process.chain_comes = true;
    return;
  }
  if (row.cause == kEndedWell) run_.ended_well = true;
  // Of the last start: that is the one that is answered for.
  const bool anew = run_.arguments.empty() || run_.starts > arguments_start_;
  if (row.cause == kArguments && anew) {
    arguments_start_ = run_.starts;
    run_.arguments = bounded(line_.text, kLongestArguments);
    run_.arguments_place = place(found);
  }
  note_engine(row, found);
  if (process.near.size() < kMostNear &&
      std::ranges::find(process.near, row.cause) == process.near.end())
    process.near.push_back(row.cause);
  if (run_.mark(row.cause) == nullptr) run_.marks.push_back(event(row, found, process));
}

void RunReader::note_engine(const SignatureRow& row, const Found& found) {
  if (!tells_engine(row)) return;
  if (run_.engine.empty()) run_.engine = row.engine;
  if (!run_.version.empty() || row.engine != run_.engine) return;
  for (const auto& [name, value] : found.captures) {
    if (name == "version") run_.version = value;
  }
}

void RunReader::stage(const SignatureRow& row, const Found& found, Process& process) {
  const Phase phase = phase_of(row.cause);
  note_engine(row, found);
  if (phase == Phase::Start && file_phase_ > Phase::Dist) {  // begun again
    ++run_.starts;
    for (std::size_t i = 0; i < run_.counts.size(); ++i) {
      if (signatures_.row(static_cast<int>(i)).kind == SignatureKind::Stage) run_.counts[i] = 0;
    }
    for (auto& [name, one] : processes_) one.phase = Phase::Unknown;
    run_.ended_well = false;
    file_phase_ = run_.phase = phase;
  }
  if (phase == Phase::Ready || phase == Phase::Serve) run_.last_ready = run_.starts - 1;
  const bool first = phase > process.phase;
  process.phase = std::max(process.phase, phase);
  file_phase_ = std::max(file_phase_, phase);
  run_.phase = std::max(run_.phase, phase);
  if (first && run_.stages.size() < kMostStages)
    run_.stages.push_back({.place = place(found), .event = row.id, .phase = phase});
}

}  // namespace sx
