// What a source is called in a message.
#include "diag/render.h"
#include "diag/words.h"
#include "text/columns.h"

namespace sx {

std::string source_name(const Source& source, Language language) {
  switch (source.kind) {
    case SourceKind::CommandLine:
      return std::string(words::kCommandLine.in(language));
    case SourceKind::StandardInput:
      return std::string(words::kStandardInput.in(language));
    case SourceKind::Process:
      return std::string(words::kProcess.in(language));
    case SourceKind::File:
      return printable(source.name);
  }
  return printable(source.name);
}

}  // namespace sx
