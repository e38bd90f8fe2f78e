// `sextant up`: make the deployment, ask `check`, start the daemon, stay beside it.
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "api/own_log.h"
#include "cli/daemon_talk.h"
#include "cli/stay.h"
#include "cli/up_keys.h"
#include "cli/up_make.h"
#include "run/json_fields.h"
#include "run/port_held.h"
#include "run/still_there.h"
#include "run/wanted_file.h"
#include "sys/files.h"
#include "sys/save_file.h"
#include "sys/spawn.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDaemonTime{10'000};  // to answer for the first time

constexpr Text kIsUp{"{name} is up already (`sextant status{flag}`, `sextant down{flag}`)",
                     "{name} 已在运行（`sextant status{flag}`、`sextant down{flag}`）"};
constexpr Text kNoDaemon{"the daemon did not come up; its last words: {words}",
                         "守护进程没有启动成功；它最后的输出：{words}"};
constexpr Text kKept{"its settings: {path}; after a change of them `sextant reload{flag}`",
                     "设置保存在 {path}；改完后执行 `sextant reload{flag}`"};
constexpr Text kNotKept{
    "what was asked is not kept as a file, so `sextant reload` needs one: {why}",
    "所要求的内容没有存成文件，之后 `sextant reload` 要指定文件：{why}"};
constexpr Text kStarted{"{name} is being started; `sextant status{flag}` says how far it is",
                        "正在启动 {name}；进度见 `sextant status{flag}`"};

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

bool is_deployment_file(const Arguments& arguments) {
  return !arguments.has_launch && !arguments.words.empty() &&
         arguments.words.front().ends_with(".toml");
}

// What the daemon left for both languages; where it could not, the last line of its log.
std::string words_at_the_end(const StateFolder& folder, Language language) {
  const Both said = last_words(folder);
  if (!said.empty()) return language == Language::English ? said.english : said.chinese;
  const auto text = real_files().read(folder.log(), mib(4));
  if (!text) return "-";
  std::string_view words(*text);
  while (words.ends_with('\n')) words.remove_suffix(1);
  return std::string(words.substr(words.rfind('\n') + 1));
}

struct Started {
  std::string deployment;  // the file it is to take
  bool retry_known_bad = false;
};

// To change and to `reload`; one that is there and says something else is kept beside it.
Result<void> keep_file(const StateFolder& folder, std::string_view text) {
  const auto before = real_files().read(folder.file(), mib(1));
  if (before && *before != text) {
    if (auto moved = save_file(folder.file() + ".old", *before, 0600); !moved) return moved;
  }
  return save_file(folder.file(), text, 0600);
}

// Comes up with a session of its own, so that it stays when this terminal goes.
Result<void> start_daemon(const StateFolder& folder, const UpAsk& ask, const Session& session,
                          const std::string& program, const Started& with) {
  SX_TRY(const UniqueFd log, open_for_adding(folder.log()));
  forget_last_words(folder);
  SpawnAsk daemon{.words = {program, "daemon", ask.name, "--deployment", with.deployment}};
  for (const auto& [name, value] : session.outside.environment.all())
    daemon.environment[name] = value;
  daemon.folder = folder.path;
  daemon.out = daemon.err = log.get();
  if (ask.ladder) daemon.words.emplace_back("--ladder");
  if (with.retry_known_bad) daemon.words.emplace_back("--retry-known-bad");
  SX_TRY(const Spawned spawned, spawn(daemon));
  const auto until = std::chrono::steady_clock::now() + kDaemonTime;
  while (std::chrono::steady_clock::now() < until) {
    const auto answer = ask_daemon(folder, "GET", "/v1/status");
    const auto* daemon_pid = answer ? answer->body.if_contains("daemon") : nullptr;
    if (daemon_pid != nullptr && *daemon_pid == boost::json::value(spawned.pid)) return {};
    if (!identity_of(spawned.pid)) break;
    std::this_thread::sleep_for(milliseconds(20));
  }
  const auto words = [&](Language language) {
    return rendered({kNoDaemon, {{"words", words_at_the_end(folder, language)}}}, language);
  };
  return fail(Error::Kind::Refused, words(Language::English), words(Language::Chinese));
}

// What flags and file ask for, with its keys; refused where it would be open to everybody.
Result<UpAsk> allowed_ask(const Arguments& arguments, const ReadFile& read,
                          const Session& session) {
  SX_TRY(auto ask, ask_of(arguments, read.file, origin_here(session.outside, read.path)));
  if (auto taken = take_keys(ask, session.outside.environment); !taken)
    return std::unexpected(taken.error());
  if (const auto may = may_be_open(ask, arguments); !may) return std::unexpected(may.error());
  return ask;
}

// The one address: not a port that another deployment's engine is about to listen on.
Result<void> take_address(const UpAsk& ask) {
  if (ask.claims->take(ask.port) && !is_claimed(ask.port, PortRole::Daemon)) return {};
  return fail(Error::Kind::Refused, port_wanted(ask.port));
}

// Of replicas whose daemon is gone: what is asked for as it runs is taken over with its clients.
std::vector<EngineLaunch> left_running(const StateFolder& folder) {
  std::vector<EngineLaunch> launches;
  for (StillThere::Replica& replica : still_there(folder).replicas) {
    if (replica.keeper && !replica.launch.words.empty())
      launches.push_back(std::move(replica.launch));
  }
  return launches;
}

}  // namespace

int up_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  Result<std::optional<ReadFile>> read = ReadFile{};
  if (is_deployment_file(arguments))
    read = read_file_of(arguments.words.front(), arguments, session, language);
  if (!read) return could_not(read.error(), session, language);
  if (!*read) return kCouldNot;  // its mistakes are shown
  auto ask = allowed_ask(arguments, **read, session);
  if (!ask) return could_not(ask.error(), session, language);
  const auto folder = state_folder(session.outside.environment, ask->name);
  if (!folder) return could_not(folder.error(), session, language);
  if (!ask->keys.empty()) ask->key_file = folder->keys();
  const auto program = real_files().link_target("/proc/self/exe");
  if (!program) return could_not(program.error(), session, language);
  const auto running = ask_daemon(*folder, "GET", "/v1/status");
  if (!running && !none_runs(running)) return could_not(running.error(), session, language);
  if (running) {
    session.output.trouble(trouble_line(
        rendered({kIsUp, {{"name", ask->name}, {"flag", name_flag_of(ask->name)}}}, language),
        language));
    return kCouldNot;
  }
  PortClaims claims(PortRole::Chooser);  // until the daemon has taken what was made
  ask->claims = &claims;
  if (auto free = take_address(*ask); !free) return could_not(free.error(), session, language);
  const auto launches = left_running(*folder);
  for (const EngineLaunch& launch : launches) ask->taken_ports.push_back(launch.port);
  const UpWanted wanted{.arguments = arguments,
                        .read = **read,
                        .ask = *ask,
                        .program = *program,
                        .language = language};
  auto made = made_of(wanted, session);
  if (!made) return could_not(made.error(), session, language);
  keep_ports(made->deployment, launches);
  if (!may_run(*made, wanted, session)) return kFindings;
  if (auto there = make_folders(folder->path); !there)
    return could_not(there.error(), session, language);
  if (auto kept = keep_keys(*ask); !kept) return could_not(kept.error(), session, language);
  const std::string file = file_of(wanted, *made);
  if (!file.empty()) made->deployment.origin.file = folder->file();
  // The daemon takes it once the folder is its own: a second `up` changes nothing of the first.
  const auto wanted_file = WantedFile::save(*folder, deployment_json(made->deployment));
  if (!wanted_file) return could_not(wanted_file.error(), session, language);
  const Started with{.deployment = wanted_file->path(),
                     .retry_known_bad = arguments.has("--retry-known-bad")};
  const auto started = start_daemon(*folder, *ask, session, *program, with);
  if (!started) return could_not(started.error(), session, language);
  // Only now: a second `up` of the name ends before.
  const auto kept = file.empty() ? Result<void>() : keep_file(*folder, file);
  if (!kept)  // it runs all the same
    say_warning(rendered({kNotKept, {{"why", kept.error().words()}}}, language), language, session);
  if (arguments.has("--detach") && !arguments.has("--wait")) {
    say_notes(*folder, language, session);
    const std::string flag = name_flag_of(ask->name);
    session.output.answer(rendered({kStarted, {{"name", ask->name}, {"flag", flag}}}, language) +
                          '\n');
    if (!file.empty() && kept)
      session.output.answer(
          rendered({kKept, {{"path", folder->file()}, {"flag", flag}}}, language) + '\n');
    return kDone;
  }
  return stay_beside({.folder = *folder,
                      .name = ask->name,
                      .language = language,
                      .colour = arguments.colour(),
                      .until_serving = arguments.has("--detach")},
                     session);
}

}  // namespace sx
