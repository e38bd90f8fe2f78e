// Kernel lines go through the same reader as pasted kernel logs; they are few, so they are kept as
// text until somebody asks.
#include "logs/beside.h"

#include <algorithm>

#include "base/source.h"
#include "base/strings.h"
#include "knowledge/nccl_reasons.h"
#include "read/machine_text.h"

namespace sx {
namespace {

// A storm of Xids says the same thing again.
constexpr std::size_t kMostKernelLines = 4096;
constexpr std::size_t kLongestKernelLine = 600;

constexpr std::array<std::string_view, 29> kLiterals{" NCCL INFO ",
                                                     " NCCL WARN ",
                                                     "NCCL version ",
                                                     "Watchdog caught collective operation",
                                                     "last enqueued NCCL work",
                                                     "last enqueued work",
                                                     "Last enqueued NCCL work",
                                                     "Last enqueued work",
                                                     "Stack trace of the failed collective:",
                                                     "NVRM: Xid",
                                                     "NVRM: GPU",
                                                     "NVRM: The NVIDIA GPU",
                                                     "NVRM: API mismatch",
                                                     "SXid (PCI",
                                                     "ut of memory: Kill",
                                                     "PCIe Bus Error: severity",
                                                     "AER: Uncorrect",
                                                     "AER: Multiple Uncorrect",
                                                     "AMD-Vi: ",
                                                     "DMAR: [DMA",
                                                     "Python v2.",
                                                     "Python v3.",
                                                     " (idle): \"",
                                                     " (active): \"",
                                                     " (idle+gil): \"",
                                                     " (active+gil): \"",
                                                     " (Thread 0x",
                                                     " (most recent call first):",
                                                     "] (most recent call first)"};

constexpr std::array<std::string_view, 10> kKernel{"NVRM: ",
                                                   "SXid (PCI",
                                                   "ut of memory: Kill",
                                                   "PCIe Bus Error: severity",
                                                   "AER: Uncorrect",
                                                   "AER: Multiple Uncorrect",
                                                   "AMD-Vi: ",
                                                   "DMAR: [DMA",
                                                   "fallen off the bus",
                                                   "API mismatch"};

bool of_kernel(std::string_view line) {
  return std::ranges::any_of(kKernel, [&](std::string_view word) { return line.contains(word); });
}

std::vector<std::string_view> reasons() {
  std::vector<std::string_view> all;
  for (const NcclReasonRow& row : nccl_reasons()) all.push_back(row.text);
  return all;
}

}  // namespace

BesideReader::BesideReader() : nccl_(reasons()) {}

std::span<const std::string_view> BesideReader::literals() { return kLiterals; }

bool BesideReader::take(const BesideLine& line) {
  const LineAt at{.file = line.file, .line = line.number};
  const std::string_view whole = line.line.whole;
  if (nccl_.take(whole, at)) return false;
  if (const auto taken = collectives_.take(whole, line.line.rank, at);
      taken != CollectiveLogReader::Taken::No)
    return taken == CollectiveLogReader::Taken::AndNext;
  if (of_kernel(whole)) {
    keep_kernel(whole, at);
    return false;
  }
  const auto file = static_cast<std::size_t>(line.file);
  return stacks_.take(line.line.text, line.before, line.line.process, line.line.rank,
                      file < files_.size() ? std::string_view(files_[file]) : std::string_view(),
                      at);
}

void BesideReader::keep_kernel(std::string_view text, LineAt at) {
  if (kernel_at_.size() >= kMostKernelLines) return;
  kernel_text_.append(text.substr(0, kLongestKernelLine)).append("\n");
  kernel_at_.push_back(at);
}

Beside BesideReader::so_far() const {
  Beside beside{.nccl = nccl_.log(),
                .collectives = collectives_.waits(),
                .kernel = {},
                .stacks = stacks_.log(),
                .flights = {},
                .unread = {}};
  if (kernel_at_.empty()) return beside;
  Sources sources;
  const int source = sources.add({.name = {}, .uri = {}, .text = kernel_text_});
  const auto machine = parse_machine_text(sources, source);
  if (!machine || !machine->state.kernel_events.value) return beside;
  for (const KernelEvent& event : *machine->state.kernel_events.value) {
    KernelNote note{.event = event, .at = {}};
    if (event.span) {
      const auto line =
          static_cast<std::size_t>(place_of(sources.at(source), event.span->begin).line);
      if (line >= 1 && line <= kernel_at_.size()) note.at = kernel_at_[line - 1];
    }
    note.event.span = {};
    beside.kernel.push_back(std::move(note));
  }
  return beside;
}

}  // namespace sx
