// `sextant diagnose`: read the logs of one run, find what it failed of, say it with its line and
// the way out.
#include "cli/commands.h"
#include "cli/diagnose_answer.h"
#include "cli/diagnose_fixes.h"
#include "cli/host_ask.h"
#include "cli/logged_command.h"
#include "gather/gather_case.h"
#include "logs/run_reader.h"
#include "sys/stream.h"

namespace sx {
namespace {

constexpr Text kNoFile{"no log was given: sextant diagnose FILE…, or - for standard input",
                       "没有给出日志：sextant diagnose 文件…，或用 - 表示标准输入"};

constexpr Text kElsewhere{"the machine of the log is not known", "不知道日志来自哪台机器"};

// Where the command is given, or told by the log itself. One that only the log tells and that
// cannot be read is no trouble.
Result<void> fix_by_command(DiagnoseAnswer& answer, const Arguments& arguments,
                            const Session& session, Language language) {
  const bool given = arguments.has_launch;
  if (answer.causes.empty() && !given) return {};
  CommandAsk ask{.argv = given ? arguments.launch : logged_command(answer.run),
                 .file = {},
                 .pid = {},
                 .engine_version = arguments.value("--engine-version")};
  if (ask.argv.empty()) return {};
  if (!ask.engine_version && !answer.run.version.empty() && parse_version(answer.run.version))
    ask.engine_version = answer.run.version;
  Outside outside = session.outside;
  // A log may come from anywhere: this machine's cards are not those of the run.
  if (!given)
    outside.nvml = [] {
      return Result<NvmlAnswer>(fail(Error::Kind::Absent, in_both(kElsewhere)));
    };
  auto cases = gather_cases(ask, host_ask(arguments), outside);
  if (!cases) {
    if (!given) return {};
    return std::unexpected(std::move(cases).error());
  }
  if (!(*cases)->cases.empty()) add_fixes(answer, (*cases)->cases.front(), language);
  return {};
}

}  // namespace

int diagnose_command(const Arguments& arguments, Session& session) {
  const Style style = decide_style({.colour = arguments.colour(),
                                    .language = arguments.language(),
                                    .all = arguments.has("--all")},
                                   session.outside.environment);
  if (arguments.words.empty()) {
    session.output.trouble(trouble_line(kNoFile.in(style.language), style.language));
    return kCouldNot;
  }
  SignatureSet signatures(sx::signatures());
  RunReader reader(signatures);
  const std::string engine = arguments.value("--engine").value_or("any");
  if (engine != "any") reader.assume_engine(engine);
  for (const std::string& file : arguments.words) {
    reader.begin_file(file);
    const auto read = read_stream(file, [&reader](std::string_view bytes) { reader.feed(bytes); });
    if (!read) {
      session.output.trouble(trouble_line(read.error(), style.language));
      return kCouldNot;
    }
    reader.end_file();
  }
  RunLog run = reader.take();
  Diagnosis diagnosis = diagnose(run);
  DiagnoseAnswer answer = answer_of(std::move(run), std::move(diagnosis));
  answer.all = style.all;
  if (auto fixed = fix_by_command(answer, arguments, session, style.language); !fixed) {
    session.output.trouble(trouble_line(fixed.error(), style.language));
    return kCouldNot;
  }
  session.output.answer(arguments.value("--format") == "json" ? diagnose_json(answer)
                                                              : diagnose_text(answer, style));
  return answer.causes.empty() ? kDone : kFindings;
}

}  // namespace sx
