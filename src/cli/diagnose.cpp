// `sextant diagnose`: read the logs of one run, find what it failed of, say it with its line and
// the way out.
#include "cli/commands.h"
#include "cli/diagnose_answer.h"
#include "cli/diagnose_bundle.h"
#include "cli/diagnose_fixes.h"
#include "cli/diagnose_follow.h"
#include "cli/diagnose_live.h"
#include "cli/diagnose_run.h"
#include "cli/host_ask.h"
#include "cli/logged_command.h"
#include "cli/number_flag.h"
#include "gather/gather_case.h"
#include "gather/gather_host.h"
#include "sys/stream.h"

namespace sx {
namespace {

constexpr Text kNoFile{
    "no log was given: sextant diagnose FILE…, - for standard input, or --pid PID",
    "没有给出日志：sextant diagnose 文件…，用 - 表示标准输入，或用 --pid PID"};

constexpr std::int64_t kMostKills = 1'000'000;  // of one run

constexpr Text kElsewhere{"the machine of the log is not known", "不知道日志来自哪台机器"};

// The launch, given or told by the log itself; none where nobody tells. One that only the log
// tells and that cannot be read is no trouble.
Result<std::unique_ptr<GatheredCases>> known_launch(const DiagnoseAnswer& answer,
                                                    const Arguments& arguments,
                                                    std::optional<int> pid,
                                                    const Session& session) {
  const bool given = arguments.has_launch;
  CommandAsk ask{.argv = given ? arguments.launch : logged_command(answer.run),
                 .file = {},
                 .pid = {},
                 .engine_version = arguments.value("--engine-version")};
  if (ask.argv.empty() && pid) ask.pid = std::to_string(*pid);
  if (ask.argv.empty() && !ask.pid) return nullptr;
  if (!ask.engine_version && !answer.run.version.empty() && parse_version(answer.run.version))
    ask.engine_version = answer.run.version;
  Outside outside = session.outside;
  // A log may come from anywhere: this machine's cards are not those of the run.
  if (!given)
    outside.nvml = [] {
      return Result<NvmlAnswer>(fail(Error::Kind::Absent, in_both(kElsewhere)));
    };
  auto cases = gather_cases(ask, host_ask(arguments), outside);
  if (!cases && given) return std::unexpected(std::move(cases).error());
  if (!cases) return nullptr;
  return *std::move(cases);
}

// What the command adds: whole fixes for a cause, or the launch that says more where there is none.
Result<void> use_launch(DiagnoseAnswer& answer, const Arguments& arguments, std::optional<int> pid,
                        const Session& session, Language language) {
  const RunLog& run = answer.run;
  const bool silent = answer.causes.empty() && run.engine.empty() && !run.wrapped;
  if (answer.healthy && !arguments.has_launch) return {};
  if (silent && !arguments.has_launch && !pid) return {};
  SX_TRY(const auto cases, known_launch(answer, arguments, pid, session));
  const Case* const launch =
      cases == nullptr || cases->cases.empty() ? nullptr : &cases->cases.front();
  if (!answer.causes.empty() && launch != nullptr) add_fixes(answer, *launch, language);
  if (answer.causes.empty() && !answer.healthy) answer.next = next_steps(answer.run, launch, pid);
  return {};
}

// The machine that was named; none where none was.
Result<std::optional<HostSpec>> asked_host(const Arguments& arguments, const Outside& outside) {
  if (!arguments.has("--on") && !arguments.has("--topology")) return std::nullopt;
  Sources sources;
  SX_TRY(HostSpec host, gather_host(sources, host_ask(arguments), outside));
  return std::optional(std::move(host));
}

Result<void> feed_file(DiagnoseRun& run, LogTails& tails, const std::string& file) {
  run.begin_file(file);
  tails.begin(file);
  auto read = read_stream(file, [&](std::string_view bytes) {
    run.feed(bytes);
    tails.feed(bytes);
  });
  if (!read) return read;
  tails.end();
  run.end_file();
  return {};
}

}  // namespace

int diagnose_command(const Arguments& arguments, Session& session) {
  const Style style = decide_style({.colour = arguments.colour(),
                                    .language = arguments.language(),
                                    .all = arguments.has("--all")},
                                   session.outside.environment);
  const bool live_asked = arguments.has("--pid") || arguments.has("--container");
  if (arguments.words.empty() && !live_asked && !arguments.has("--follow")) {
    session.output.trouble(trouble_line(kNoFile.in(style.language), style.language));
    return kCouldNot;
  }
  if (arguments.has("--follow")) return diagnose_follow(arguments, session, style);
  DiagnoseRun run(arguments.value("--engine"));
  LogTails tails(arguments.has("--bundle"));
  const auto refuse = [&](const Error& error) {
    session.output.trouble(trouble_line(error, style.language));
    return kCouldNot;
  };
  const auto kills = number_of(arguments, {"--oom-kills", 0, kMostKills});
  if (!kills) return refuse(kills.error());
  if (*kills) run.note_oom_kills(static_cast<int>(**kills));
  const auto live = feed_live(run, tails, arguments, session.outside);
  if (!live) return refuse(live.error());
  for (const std::string& file : arguments.words) {
    if (const auto read = feed_file(run, tails, file); !read) return refuse(read.error());
  }
  const auto host = asked_host(arguments, session.outside);
  if (!host) return refuse(host.error());
  DiagnoseAnswer answer = run.answer(*host);
  answer.all = style.all;
  answer.notes.insert(answer.notes.end(), live->notes.begin(), live->notes.end());
  if (auto fixed = use_launch(answer, arguments, live->pid, session, style.language); !fixed)
    return refuse(fixed.error());
  if (arguments.has("--bundle")) {
    const auto saved = save_bundle(answer, tails, arguments, session.outside, style.language);
    if (!saved) return refuse(saved.error());
  }
  session.output.answer(arguments.value("--format") == "json" ? diagnose_json(answer)
                                                              : diagnose_text(answer, style));
  return answer.causes.empty() ? kDone : kFindings;
}

}  // namespace sx
