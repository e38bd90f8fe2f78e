// A deployment that is down and one that never was are told apart, here as everywhere.
#include "cli/not_up.h"

#include "cli/daemon_talk.h"
#include "run/still_there.h"

namespace sx {

int said_not_up(const std::string& name, const Text& instead, Session& session, Language language) {
  const Environment& environment = session.outside.environment;
  const auto folder = state_folder(environment, name);
  if (!folder) {
    session.output.trouble(trouble_line(folder.error(), language));
    return kCouldNot;
  }
  const Nobody told = nobody_there(*folder, environment, name);
  std::string words = rendered(told.message, language);
  // Of what still runs without its daemon, the message says already what to do.
  if (still_there(*folder).empty()) {
    words += language == Language::Chinese ? "；" : "; ";
    words += instead.in(language);
  }
  session.output.trouble(trouble_line(words, language));
  return told.exit_code;
}

}  // namespace sx
