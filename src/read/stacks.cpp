// Each form has a line that begins a thread and a line for each frame; everything else ends it.
#include "read/stacks.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostProcesses = 1024;
constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kMostFrames = 96;  // Python's own depth is a thousand; what waits is on top
constexpr std::size_t kMostFramesInAll = 50'000;
constexpr std::size_t kMostValues = 8;  // of a frame
constexpr std::size_t kMostValuesInAll = 20'000;
constexpr std::size_t kLongestValue = 60;
constexpr std::size_t kLongestText = 200;
constexpr std::size_t kLongestName = 160;
constexpr std::size_t kLongestCommand = 400;
constexpr std::string_view kRecentFirst = " (most recent call first)";

bool digit(char c) { return c >= '0' && c <= '9'; }

std::string bounded(std::string_view text, std::size_t most) {
  return std::string(text.substr(0, most));
}

std::optional<long long> number_in_front(std::string_view text) {
  return to_integer(text.substr(0, text.find_first_not_of("0123456789")));
}

std::string_view last_part(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// "Process 4242: VLLM::Worker_TP1"
std::optional<StackProcess> py_spy_process(std::string_view line) {
  constexpr std::string_view kProcess = "Process ";
  if (!line.starts_with(kProcess)) return {};
  const std::string_view rest = line.substr(kProcess.size());
  const auto colon = rest.find(": ");
  const auto pid = to_integer(rest.substr(0, std::min(colon, rest.size())));
  if (!pid || colon == rest.npos) return {};
  return StackProcess{.pid = *pid,
                      .command = bounded(trimmed(rest.substr(colon + 2)), kLongestCommand),
                      .process = {},
                      .threads = {}};
}

// Thread 4242 (idle): "MainThread"
std::optional<StackThread> py_spy_thread(std::string_view line) {
  if (!line.starts_with("Thread ")) return {};
  const auto open = line.find(" (");
  const auto close = line.find(')', std::min(open, line.size()));
  if (open == line.npos || close == line.npos) return {};
  const std::string_view state = line.substr(open + 2, close - open - 2);
  if (!state.starts_with("idle") && !state.starts_with("active")) return {};
  StackThread thread{.name = {}, .state = bounded(state, 40), .frames = {}};
  const auto quote = line.find('"', close);
  if (quote != line.npos) {
    const std::string_view rest = line.substr(quote + 1);
    thread.name = bounded(rest.substr(0, rest.find('"')), kLongestName);
  }
  thread.main = thread.name == "MainThread";
  return thread;
}

// all_reduce (vllm/distributed/device_communicators/pynccl.py:113); pthread_cond_wait (libc.so.6)
std::optional<StackFrame> py_spy_frame(std::string_view line) {
  constexpr std::string_view kIndent = "    ";
  if (!line.starts_with(kIndent) || line.starts_with("     ")) return {};
  const std::string_view text = trimmed(line);
  const auto open = text.rfind(" (");
  if (open == text.npos || open == 0 || !text.ends_with(')')) return {};
  return StackFrame{
      .name = bounded(text.substr(0, open), kLongestName),
      .where = bounded(last_part(text.substr(open + 2, text.size() - open - 3)), kLongestName)};
}

// Thread 3 (Thread 0x7f12 (LWP 4243) "python3"):
struct GdbThread {
  long long number = 0, id = 0;
  std::string name;
};
std::optional<GdbThread> gdb_thread(std::string_view line) {
  if (!line.starts_with("Thread ") || !line.contains("Thread 0x")) return {};
  const auto number = number_in_front(line.substr(7));
  const auto at = line.find("(LWP ");
  if (!number || at == line.npos) return {};
  const auto id = number_in_front(line.substr(at + 5));
  if (!id) return {};
  GdbThread thread{.number = *number, .id = *id, .name = {}};
  const auto quote = line.find('"');
  if (quote != line.npos) {
    const std::string_view rest = line.substr(quote + 1);
    thread.name = bounded(rest.substr(0, rest.find('"')), kLongestName);
  }
  return thread;
}

// "4096", "(16, 4096)", "[1, 8192]": nothing else is kept, so that no text of a user is.
bool is_size(std::string_view value) {
  if (value.empty() || value.size() > kLongestValue) return false;
  if (value.find_first_not_of("0123456789, ()[]") != value.npos) return false;
  return digit(value.front()) || value.front() == '(' || value.front() == '[';
}

// cublasGemmEx (handle=0x7f12, m=8192, n=16, k=4096)
std::vector<std::pair<std::string, std::string>> gdb_values(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> values;
  const auto open = text.find(" (");
  if (open == text.npos) return values;
  text = text.substr(open + 2);
  for (std::string_view word : split(text.substr(0, text.rfind(')')), ',')) {
    word = trimmed(word);
    const auto equals = word.find('=');
    if (equals == word.npos || equals == 0 || equals > 20 || values.size() >= kMostValues) continue;
    const std::string_view value = word.substr(equals + 1);
    if (is_size(value)) values.emplace_back(word.substr(0, equals), value);
  }
  return values;
}

// #1  0x00007f12 in pthread_cond_wait@@GLIBC_2.3.2 () from /lib/libc.so.6
std::optional<StackFrame> gdb_frame(std::string_view line) {
  if (line.size() < 4 || line.front() != '#' || !digit(line[1])) return {};
  std::string_view text = trimmed(line.substr(line.find_first_not_of("#0123456789")));
  if (text.starts_with("0x")) {
    const auto in = text.find(" in ");
    if (in == text.npos) return {};
    text = text.substr(in + 4);
  }
  const auto open = text.find(" (");
  const std::string_view name = text.substr(0, open);
  if (name.empty()) return {};
  StackFrame frame{
      .name = bounded(name.substr(0, name.find("@@")), kLongestName), .where = {}, .text = {}};
  frame.values = gdb_values(text);
  const auto from = text.rfind(" from ");
  const auto at = text.rfind(" at ");
  if (from != text.npos) {
    frame.where = bounded(last_part(trimmed(text.substr(from + 6))), kLongestName);
  } else if (at != text.npos) {
    frame.where = bounded(last_part(trimmed(text.substr(at + 4))), kLongestName);
  }
  return frame;
}

// File "/x/pynccl.py", line 113 in all_reduce
std::optional<StackFrame> fault_frame(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with("File \"")) return {};
  const auto close = text.find('"', 6);
  const auto number = text.find(", line ");
  const auto in = text.find(" in ", std::min(number, text.size()));
  if (close == text.npos || number == text.npos || in == text.npos) return {};
  std::string where(last_part(text.substr(6, close - 6)));
  where.append(":").append(text.substr(number + 7, in - number - 7));
  return StackFrame{.name = bounded(trimmed(text.substr(in + 4)), kLongestName),
                    .where = bounded(where, kLongestName),
                    .text = {}};
}

}  // namespace

int rank_in_name(std::string_view name) {
  const std::string text = lower(name);
  for (const std::string_view word : {"global_rank", "rank", "_tp", " tp", "-tp", ":tp"}) {
    // The first that a number follows: "ranks.py --rank=2".
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      std::string_view rest = std::string_view(text).substr(at + word.size());
      constexpr std::string_view kBetween = " =_-";
      if (!rest.empty() && kBetween.contains(rest.front())) rest.remove_prefix(1);
      const auto number = number_in_front(rest);
      if (number && *number < 1'000'000) return static_cast<int>(*number);
    }
  }
  return -1;
}

void StackReader::begin_process(StackProcess process, std::string_view file_name) {
  if (process.rank < 0) process.rank = rank_in_name(process.command);
  if (process.rank < 0) process.rank = rank_in_name(process.process);
  if (process.rank < 0) process.rank = rank_in_name(last_part(file_name));
  if (log_.processes.size() < kMostProcesses) {
    log_.processes.push_back(std::move(process));
  } else {
    log_.cut = true;
  }
  last_thread_ = 0;
}

bool StackReader::begin_thread(StackThread thread) {
  auto& threads = log_.processes.back().threads;
  open_ = threads.size() < kMostThreads;
  if (open_) {
    threads.push_back(std::move(thread));
  } else {
    log_.cut = true;
  }
  return true;
}

bool StackReader::header(std::string_view line, std::string_view before, std::string_view process,
                         int rank, std::string_view file_name, LineAt at) {
  const auto fresh = [&](Form form) {
    if (form_ == form && file_ == at.file && !log_.processes.empty() &&
        log_.processes.back().process == process)
      return false;
    form_ = form;
    file_ = at.file;
    return true;
  };
  if (line.starts_with("Python v")) {
    auto begun = py_spy_process(trimmed(before));
    if (!begun) return false;
    begun->process = process;
    begun->rank = rank;
    begun->at = at;
    form_ = Form::PySpy;
    file_ = at.file;
    begin_process(std::move(*begun), file_name);
    return true;
  }
  if (auto thread = py_spy_thread(line)) {
    if (fresh(Form::PySpy))
      begin_process(
          {.command = {}, .process = std::string(process), .rank = rank, .at = at, .threads = {}},
          file_name);
    thread->at = at;
    return begin_thread(std::move(*thread));
  }
  if (const auto thread = gdb_thread(line)) {
    if (fresh(Form::Gdb) || last_thread_ <= thread->number)
      begin_process(
          {.command = {}, .process = std::string(process), .rank = rank, .at = at, .threads = {}},
          file_name);
    last_thread_ = thread->number;
    StackProcess& owner = log_.processes.back();
    const bool main = thread->number == 1;
    if (main) {
      owner.pid = thread->id;
      owner.command = thread->name;
      if (owner.rank < 0) owner.rank = rank_in_name(thread->name);
    }
    return begin_thread({.name = thread->name, .state = {}, .main = main, .at = at, .frames = {}});
  }
  if (!line.contains(kRecentFirst) || !lower(line).contains("thread 0x")) return false;
  const bool current = line.starts_with("Current thread");
  const bool another = !log_.processes.empty() && form_ == Form::FaultHandler && current &&
                       std::ranges::any_of(log_.processes.back().threads, &StackThread::main);
  if (fresh(Form::FaultHandler) || another)
    begin_process(
        {.command = {}, .process = std::string(process), .rank = rank, .at = at, .threads = {}},
        file_name);
  return begin_thread({.name = {}, .state = {}, .main = current, .at = at, .frames = {}});
}

bool StackReader::frame(std::string_view line, LineAt at) {
  if (!open_ || log_.processes.empty() || log_.processes.back().threads.empty()) return false;
  std::optional<StackFrame> found;
  switch (form_) {
    case Form::PySpy:
      found = py_spy_frame(line);
      // "Arguments:" and "Locals:" stand between frames, farther in.
      if (!found && line.starts_with("     ")) {
        value(line);
        return true;
      }
      break;
    case Form::Gdb:
      found = gdb_frame(line);
      break;
    case Form::FaultHandler:
      found = fault_frame(line);
      break;
    case Form::None:
      break;
  }
  if (!found) return false;
  found->at = at;
  auto& frames = log_.processes.back().threads.back().frames;
  if (frames.size() >= kMostFrames || frames_ >= kMostFramesInAll) {
    log_.cut = true;
    return true;
  }
  found->text = bounded(line, kLongestText);
  if (values_ + found->values.size() > kMostValuesInAll) found->values.clear();
  values_ += found->values.size();
  frames.push_back(std::move(*found));
  ++frames_;
  return true;
}

// "            hidden_size: 4096", twelve blanks in.
void StackReader::value(std::string_view line) {
  constexpr std::string_view kIndent = "            ";
  auto& frames = log_.processes.back().threads.back().frames;
  if (frames.empty() || !line.starts_with(kIndent) || values_ >= kMostValuesInAll) return;
  line = trimmed(line);
  const auto colon = line.find(": ");
  if (colon == line.npos || colon == 0 || colon > 40) return;
  const std::string_view said = line.substr(colon + 2);
  auto& values = frames.back().values;
  if (!is_size(said) || values.size() >= kMostValues) return;
  values.emplace_back(line.substr(0, colon), said);
  ++values_;
}

bool StackReader::take(std::string_view line, std::string_view before, std::string_view process,
                       int rank, std::string_view file_name, LineAt at) {
  if (header(line, before, process, rank, file_name, at)) return true;
  const bool more = frame(line, at);
  if (!more) open_ = false;
  return more;
}

}  // namespace sx
