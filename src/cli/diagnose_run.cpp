// Causes by the engine's own words first; what stands beside them speaks where they are silent.
#include "cli/diagnose_run.h"

#include "cli/diagnose_beside.h"
#include "logs/beside_causes.h"

namespace sx {

DiagnoseRun::DiagnoseRun()
    : signatures_(sx::signatures(), BesideReader::literals()),
      reader_(signatures_, [this](const BesideLine& line) { return beside_.take(line); }) {}

void DiagnoseRun::begin_file(const std::string& name) {
  beside_.begin_file(name);
  reader_.begin_file(name);
}

DiagnoseAnswer DiagnoseRun::answer(std::optional<HostSpec> host) const {
  RunLog run = reader_.so_far();
  Beside beside = beside_.so_far();
  Diagnosis diagnosis = diagnose(run);
  add_beside(diagnosis, beside, run);
  DiagnoseAnswer answer = answer_of(std::move(run), std::move(diagnosis));
  answer.beside = std::move(beside);
  answer.host = std::move(host);
  answer.notes = beside_notes(answer.beside, answer.host ? &*answer.host : nullptr);
  return answer;
}

}  // namespace sx
