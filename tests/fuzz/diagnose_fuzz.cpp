// Any bytes as the log of a run: no crash, the same answer whole and in pieces, and every place it
// names is a line of the log.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/diagnose_answer.h"
#include "cli/logged_command.h"
#include "logs/run_reader.h"

namespace {

sx::SignatureSet& set() {
  static sx::SignatureSet all(sx::signatures());
  return all;
}

std::string answered(std::string_view text, std::size_t piece) {
  sx::RunReader reader(set());
  reader.begin_file("x");
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.end_file();
  sx::RunLog run = reader.take();
  sx::logged_command(run);
  sx::Diagnosis diagnosis = sx::diagnose(run);
  for (const sx::FoundCause& cause : diagnosis.causes) {
    SX_ASSERT(cause.root.place.line >= 1 && cause.root.place.line <= run.files.front().lines);
  }
  const sx::DiagnoseAnswer answer = sx::answer_of(std::move(run), std::move(diagnosis));
  sx::Style style;
  sx::diagnose_text(answer, style);
  return sx::diagnose_json(answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 64U;
  SX_ASSERT(answered(text, size + 1) == answered(text, piece));
  return 0;
}
