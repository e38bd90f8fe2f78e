// The box that plain `nvidia-smi` draws, in every width: rows are known by the bus id in them.
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

bool is_error(std::string_view word) {
  return word == "ERR!" || word == "Unknown" || word == "N/A";
}

// "81920MiB" or "81920 MiB"; nothing for N/A, ERR! and "Not Supported".
std::optional<Bytes> mebibytes(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with("MiB")) return {};
  const auto number = to_integer(trimmed(text.substr(0, text.size() - 3)));
  if (!number || *number < 0 || *number > (1LL << 40)) return {};
  return mib(*number);
}

std::string_view last_word(std::string_view text) {
  text = trimmed(text);
  const auto blank = text.find_last_of(" \t");
  return blank == text.npos ? text : text.substr(blank + 1);
}

// "NVIDIA A100-SXM4-80GB          On" into the name and the last word, which is a mode. A cut name
// touches its mode.
void read_name(PastedGpu& gpu, std::string_view text) {
  text = trimmed(text);
  const std::string_view mode = last_word(text);
  const bool is_mode = mode == "On" || mode == "Off" || mode == "N/A" || mode == "ERR!" ||
                       mode == "WDDM" || mode == "TCC" || mode == "MCDM" || mode == "WDM";
  if (mode == "On" || mode == "Off") gpu.persistence = mode == "On";
  std::string_view name = is_mode ? trimmed(text.substr(0, text.size() - mode.size())) : text;
  if (is_error(name) || name.starts_with("Unknown Error")) name = {};
  gpu.name = std::string(name);
}

// "P0" as a word of its own.
std::optional<int> performance_state(std::string_view text) {
  for (const std::string_view word : split(text, ' ')) {
    if (word.size() < 2 || word.size() > 3 || word.front() != 'P') continue;
    if (const auto number = to_integer(word.substr(1)); number && *number >= 0 && *number <= 15)
      return static_cast<int>(*number);
  }
  return {};
}

// "On" of "00000000:41:00.0  On": a screen is driven.
std::optional<bool> display_of(std::string_view cell) {
  const std::string_view mode = last_word(cell);
  if (mode == "On" || mode == "Off") return mode == "On";
  return {};
}

std::optional<double> watts_of_cap(std::string_view text) {
  const auto slash = text.rfind('/');
  if (slash == text.npos) return {};
  const std::string_view cap = trimmed(text.substr(slash + 1));
  if (!cap.ends_with('W')) return {};
  return to_number(trimmed(cap.substr(0, cap.size() - 1)));
}

}  // namespace

void SmiTableParser::take_identity(const PastedLine& line, std::size_t at,
                                   const std::vector<std::string_view>& cells) {
  const std::string_view identity = trimmed(cells[at - 1]);
  const auto digits = identity.find_first_not_of("0123456789");
  const auto index = to_integer(identity.substr(0, digits));
  if (!index || *index >= static_cast<long long>(10 * kMostPastedGpus) || digits == identity.npos)
    return;
  PastedGpu gpu;
  gpu.index = static_cast<int>(*index);
  gpu.pci = first_word(cells[at]);
  gpu.span = line.span;
  read_name(gpu, identity.substr(digits));
  if (const auto display = display_of(cells[at])) tell(gpu.state.display, *display, line);
  if (at + 1 < cells.size()) {
    const std::string_view ecc = trimmed(cells[at + 1]);
    if (ecc == "Off") gpu.ecc = false;
    if (const auto errors = to_integer(ecc); errors && *errors >= 0) {
      gpu.ecc = true;
      tell(gpu.state.ecc_uncorrected, std::int64_t{*errors}, line);
    }
  }
  gpus.push_back(std::move(gpu));
  open_ = true;
}

void SmiTableParser::take_memory(const PastedLine& line, std::string_view power,
                                 std::string_view memory, std::string_view mode) {
  PastedGpu& gpu = gpus.back();
  if (const auto level = performance_state(power)) tell(gpu.state.performance_state, *level, line);
  const auto slash = memory.find('/');
  gpu.used = mebibytes(memory.substr(0, slash));
  gpu.memory = mebibytes(memory.substr(slash + 1));
  gpu.power_limit_w = watts_of_cap(power);
  const auto percent = mode.find('%');
  if (percent != mode.npos) {
    const auto busy = to_integer(trimmed(mode.substr(0, percent)));
    if (busy && *busy >= 0 && *busy <= 100)
      tell(gpu.state.utilisation, static_cast<int>(*busy), line);
  }
  std::string_view compute = trimmed(percent == mode.npos ? mode : mode.substr(percent + 1));
  if (compute.starts_with("N/A")) compute = trimmed(compute.substr(3));
  if (compute != "ERR!" && compute.size() <= 16) gpu.compute_mode = std::string(compute);
}

// "0   N/A  N/A   1234   C   python3   20394MiB", without the instances in older tables. The name
// may hold blanks.
void SmiTableParser::take_process(const PastedLine& line, std::string_view row) {
  constexpr std::size_t kMostProcesses = 256;  // of one card
  std::vector<std::string_view> words;
  for (const std::string_view word : split(row, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  const auto is_type = [](std::string_view word) {
    return word == "C" || word == "G" || word == "C+G" || word == "M+C";
  };
  const auto type = std::ranges::find_if(words, is_type);
  if (words.size() < 4 || type == words.end() || type - words.begin() < 2) return;
  const auto index = to_integer(words.front());
  const auto pid = to_integer(*(type - 1));
  if (!index || !pid || *pid < 0) return;
  const auto gpu =
      std::ranges::find_if(gpus, [&](const PastedGpu& one) { return one.index == *index; });
  if (gpu == gpus.end()) return;
  GpuProcess process{.pid = *pid};
  process.memory = mebibytes(words.back());
  std::vector<std::string> name;
  for (auto word = type + 1; word != words.end(); ++word) {
    const bool last = word + 1 == words.end();
    if (!(last && (process.memory || *word == "N/A"))) name.emplace_back(*word);
  }
  process.name = join(name, " ");
  if (!gpu->state.processes.value) gpu->state.processes = {std::vector<GpuProcess>{}, line.span};
  if (gpu->state.processes.value->size() < kMostProcesses)
    gpu->state.processes.value->push_back(std::move(process));
}

void SmiTableParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = line.text;
  if (text.find("NVIDIA-SMI") != text.npos) {
    // A second table is of a later run or of another machine.
    if (!gpus.empty() && text.find("Version") != text.npos) {
      open_ = processes_ = false;
      closed_ = true;
      parts.could_not_read(line.number,
                           {"another nvidia-smi table, not used", "另一张 nvidia-smi 表，未采用"});
    }
    return;
  }
  if (text.find('|') == text.npos) return;
  const bool processes = text.find("Processes:") != text.npos;
  if (!closed_ && (processes || text.find("MIG devices:") != text.npos)) {
    open_ = false;
    closed_ = true;
  }
  if (closed_ && processes && !gpus.empty()) processes_ = true;
  const auto cells = split(text, '|');
  if (processes_ && cells.size() > 1) {
    // The table says so when nobody uses any card; in a container it may only not see them.
    take_process(line, cells[1]);
    return;
  }
  if (closed_) return;
  for (std::size_t at = 1; at < cells.size(); ++at) {
    if (!is_bus_id(first_word(cells[at]))) continue;
    if (gpus.size() >= kMostPastedGpus) {
      parts.could_not_read(line.number, {"more than 64 GPUs", "GPU 超过 64 张"});
      closed_ = true;
      return;
    }
    take_identity(line, at, cells);
    return;
  }
  if (!open_ || gpus.empty()) return;
  for (std::size_t at = 1; at < cells.size(); ++at) {
    const bool told =
        cells[at].find("MiB") != cells[at].npos && cells[at].find('/') != cells[at].npos;
    const bool hidden = cells[at].find("Not Supported") != cells[at].npos ||
                        cells[at].find("N/A / N/A") != cells[at].npos;
    if (!told && !hidden) continue;
    if (!gpus.back().compute_mode.empty() || gpus.back().memory) break;  // its memory row was read
    take_memory(line, cells[at - 1], told ? cells[at] : "/",
                at + 1 < cells.size() ? cells[at + 1] : "");
    return;
  }
  const std::string_view last = trimmed(
      cells.size() > 1 && trimmed(cells.back()).empty() ? cells[cells.size() - 2] : cells.back());
  if (last == "Enabled" || last == "Disabled") {
    gpus.back().mig = last == "Enabled";
    open_ = false;
  }
}

}  // namespace sx
