// `sextant daemon NAME`: what `up` starts, and what a service manager may.
#include "api/daemon.h"

#include "api/own_log.h"
#include "cli/commands.h"
#include "cli/daemon_talk.h"
#include "sys/fatal_signals.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr Text kNoneOfThatName{"there is no deployment {name} at {folder}: `sextant up` makes one",
                               "{folder} 处没有名为 {name} 的部署：用 `sextant up` 建立"};
constexpr Text kFault{
    "sextant daemon: ended by signal {signal}, a mistake of ours; what it started goes on",
    "sextant daemon：因信号 {signal} 结束，这是程序自身的错误；它启动的进程仍在运行"};

void say_faults(Language language) {
  constexpr std::string_view kNumber = "{signal}";
  const std::string_view words = kFault.in(language);
  const std::size_t at = words.find(kNumber);
  say_fatal_signals(words.substr(0, at), words.substr(at + kNumber.size()));
}

bool is_absent(const std::string& path) {
  const auto info = real_files().info(path);
  return !info && info.error().kind == Error::Kind::Absent;
}

}  // namespace

int daemon_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string name = arguments.words.empty() ? "default" : arguments.words.front();
  const auto folder = state_folder(session.outside.environment, name);
  const auto program = real_files().link_target("/proc/self/exe");
  if (folder && !arguments.has("--deployment") && is_absent(folder->deployment())) {
    const Message said{kNoneOfThatName, {{"name", name}, {"folder", folder->path}}};
    session.output.trouble(trouble_line(rendered(said, language), language));
    return kNoDeployment;
  }
  say_faults(language);
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
