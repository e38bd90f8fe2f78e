// Any bytes as stacks in a log: no crash, every frame at a line of the text, the same in pieces.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "logs/beside.h"
#include "logs/beside_causes.h"
#include "logs/waits.h"

namespace {

std::string answered(std::string_view text, std::size_t piece) {
  static sx::SignatureSet set(sx::signatures(), sx::BesideReader::literals());
  sx::BesideReader beside;
  sx::RunReader reader(set, [&](const sx::BesideLine& line) { return beside.take(line); });
  beside.begin_file("rank1.txt");
  reader.begin_file("rank1.txt");
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.end_file();
  const sx::RunLog run = reader.take();
  const sx::Beside found = beside.so_far();
  std::string said;
  for (const sx::Wait& wait : sx::waits_of(found.stacks).all) {
    SX_ASSERT(wait.frame->at.line >= 1 && wait.frame->at.line <= run.files.front().lines);
    said += wait.frame->name + ":" + std::to_string(wait.frame->at.line) + "\n";
  }
  sx::Diagnosis diagnosis = sx::diagnose(run);
  sx::add_beside(diagnosis, found, run);
  for (const sx::FoundCause& cause : diagnosis.causes) said += std::string(cause.name) + "\n";
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 64U;
  SX_ASSERT(answered(text, size + 1) == answered(text, piece));
  return 0;
}
