// `sextant diagnose`: read the logs of one run, find what it failed of, say it with its line and
// the way out.
#include "cli/commands.h"
#include "cli/diagnose_answer.h"
#include "logs/run_reader.h"
#include "sys/stream.h"

namespace sx {
namespace {

constexpr Text kNoFile{"no log was given: sextant diagnose FILE…, or - for standard input",
                       "没有给出日志：sextant diagnose 文件…，或用 - 表示标准输入"};

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
  const DiagnoseAnswer answer = answer_of(std::move(run), std::move(diagnosis));
  session.output.answer(arguments.value("--format") == "json" ? diagnose_json(answer)
                                                              : diagnose_text(answer, style));
  return answer.causes.empty() ? kDone : kFindings;
}

}  // namespace sx
