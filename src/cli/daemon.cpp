// `sextant daemon NAME`: what `up` starts, and what a service manager may.
#include "api/daemon.h"

#include "cli/commands.h"
#include "sys/files.h"

namespace sx {

int daemon_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string name = arguments.words.empty() ? "default" : arguments.words.front();
  const auto folder = state_folder(session.outside.environment, name);
  const auto program = real_files().link_target("/proc/self/exe");
  auto done =
      !folder ? std::unexpected(folder.error())
      : !program
          ? std::unexpected(program.error())
          : run_daemon(
                {.folder = *folder, .program = *program, .ladder = arguments.has("--ladder")});
  if (done) return kDone;
  session.output.trouble(trouble_line(done.error(), language));
  return kCouldNot;
}

}  // namespace sx
