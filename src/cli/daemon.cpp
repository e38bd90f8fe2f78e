// `sextant daemon NAME`: what `up` starts, and what a service manager may.
#include "api/daemon.h"

#include "api/own_log.h"
#include "cli/commands.h"
#include "sys/fatal_signals.h"
#include "sys/files.h"

namespace sx {

int daemon_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string name = arguments.words.empty() ? "default" : arguments.words.front();
  const auto folder = state_folder(session.outside.environment, name);
  const auto program = real_files().link_target("/proc/self/exe");
  say_fatal_signals("sextant daemon");
  auto done = !folder    ? std::unexpected(folder.error())
              : !program ? std::unexpected(program.error())
                         : run_daemon({.folder = *folder,
                                       .program = *program,
                                       .deployment = arguments.value("--deployment").value_or(""),
                                       .ladder = arguments.has("--ladder"),
                                       .retry_known_bad = arguments.has("--retry-known-bad")});
  if (done) {
    session.output.trouble(
        trouble_line(language == Language::English ? done->english : done->chinese, language));
    return kDone;
  }
  if (folder) leave_last_words(*folder, {done.error().what, done.error().chinese});
  session.output.trouble(trouble_line(done.error(), language));
  return kCouldNot;
}

}  // namespace sx
