// Causes by the engine's own words first; what stands beside them speaks where they are silent.
#include "cli/diagnose_run.h"

#include "cli/diagnose_beside.h"
#include "logs/beside_causes.h"

namespace sx {
namespace {

constexpr std::string_view kAny = "any";

}  // namespace

SignatureSet diagnose_signatures() { return SignatureSet(signatures(), BesideReader::literals()); }

DiagnoseRun::DiagnoseRun(SignatureSet& signatures)
    : reader_(signatures, [this](const BesideLine& line) { return beside_.take(line); }) {}

DiagnoseRun::DiagnoseRun(const std::optional<std::string>& engine)
    : own_(std::make_unique<SignatureSet>(diagnose_signatures())),
      reader_(*own_, [this](const BesideLine& line) { return beside_.take(line); }) {
  if (engine && *engine != kAny) reader_.assume_engine(*engine);
}

void DiagnoseRun::begin_file(const std::string& name) {
  beside_.begin_file(name);
  flights_.begin_file(name);
  reader_.begin_file(name);
}

DiagnoseAnswer DiagnoseRun::answer(std::optional<HostSpec> host) const {
  RunLog run = reader_.so_far();
  run.oom_kills = oom_kills_;
  Beside beside = beside_.so_far();
  beside.flights = flights_.dumps();
  beside.unread = flights_.unread();
  // A dump is one long line, and was read as what it is.
  for (const FlightDump& dump : beside.flights) {
    const auto file = static_cast<std::size_t>(dump.file);
    if (file < run.files.size()) run.files[file].cut_lines = 0;
  }
  Diagnosis diagnosis = diagnose(run);
  add_beside(diagnosis, beside, run);
  DiagnoseAnswer answer = answer_of(std::move(run), std::move(diagnosis));
  answer.beside = std::move(beside);
  answer.host = std::move(host);
  answer.notes = beside_notes(answer.beside, answer.host ? &*answer.host : nullptr);
  return answer;
}

}  // namespace sx
