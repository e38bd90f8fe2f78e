// Any bytes as the dumps of two ranks: no crash, the same whole and in pieces, and every entry that
// is named stands in a line of the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "logs/beside_causes.h"
#include "logs/flight_files.h"
#include "logs/flight_verdict.h"

namespace {

sx::FlightFiles read(std::string_view first, std::string_view second, std::size_t piece) {
  sx::FlightFiles files;
  for (const std::string_view text : {first, second}) {
    files.begin_file(text.data() == first.data() ? "nccl_trace_rank_0" : "_dump_1.json");
    for (std::size_t at = 0; at < text.size(); at += piece) files.feed(text.substr(at, piece));
    files.end_file();
  }
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\0'), size);
  const std::string_view first = text.substr(0, cut);
  const std::string_view second = text.substr(std::min(cut + 1, size));
  const sx::FlightFiles whole = read(first, second, size + 1);
  const sx::FlightFiles parts = read(first, second, 1 + size % 61U);
  SX_ASSERT(whole.dumps().size() == parts.dumps().size());
  SX_ASSERT(whole.unread().size() == parts.unread().size());
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n')) + 1;
  for (const sx::FlightDump& dump : whole.dumps()) {
    for (const sx::FlightEntry& entry : dump.entries) {
      SX_ASSERT(entry.group < dump.groups.size());
      SX_ASSERT(entry.line >= 1 && entry.line <= lines);
    }
  }
  for (const sx::FlightVerdict& verdict : sx::verdicts_of(whole.dumps())) {
    SX_ASSERT(!verdict.waiting.empty());
    SX_ASSERT(verdict.waiting.size() + verdict.behind.size() <= whole.dumps().size());
  }
  sx::Beside beside;
  beside.flights = whole.dumps();
  sx::Diagnosis diagnosis;
  sx::add_beside(diagnosis, beside, sx::RunLog{});
  return 0;
}
