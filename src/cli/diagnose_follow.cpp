// One answer for each change of what is wrong; silence while nothing changes.
#include "cli/diagnose_follow.h"

#include <chrono>
#include <thread>

#include "cli/diagnose_run.h"
#include "cli/progress.h"
#include "sys/growing_file.h"

namespace sx {
namespace {

// Fast enough for eyes, slow enough to cost nothing.
constexpr std::chrono::milliseconds kPause{200};

constexpr std::size_t kCatchingUp = std::size_t{4} << 20U;  // more than is written in a pause

constexpr Text kAlone{"--follow watches one file; give no other log beside it",
                      "--follow 只观察一个文件；不要再给别的日志"};

std::string key_of(const DiagnoseAnswer& answer) {
  if (answer.causes.empty()) return answer.healthy ? "healthy" : "";
  const FoundCause& cause = answer.causes.front().found;
  return std::string(cause.name) + " " + std::to_string(cause.root.place.file) + ":" +
         std::to_string(cause.root.place.line);
}

}  // namespace

int diagnose_follow(const Arguments& arguments, Session& session, const Style& style) {
  if (!arguments.words.empty()) {
    session.output.trouble(trouble_line(kAlone.in(style.language), style.language));
    return kCouldNot;
  }
  const std::string path = *arguments.value("--follow");
  const bool as_json = arguments.value("--format") == "json";
  const InterruptGuard guard;
  GrowingFile file(path);
  DiagnoseRun run(arguments.value("--engine"));
  run.begin_file(path);
  std::string said;
  bool first = true;
  bool fresh = true;
  while (!guard.stop()) {
    std::size_t bytes = 0;
    const auto news = file.look([&](std::string_view piece) {
      run.feed(piece);
      bytes += piece.size();
    });
    // A file that goes away for a moment comes again; one that was never there is a slip.
    if (!news && (first || news.error().kind != Error::Kind::Absent)) {
      session.output.trouble(trouble_line(news.error(), style.language));
      return kCouldNot;
    }
    first = false;
    fresh |= bytes > 0;
    if (bytes >= kCatchingUp) continue;
    if (news && *news == GrowingFile::News::Anew) {
      run.end_file();
      run.begin_file(path);
      continue;
    }
    if (fresh) {
      DiagnoseAnswer answer = run.answer({});
      answer.all = style.all;
      if (const std::string key = key_of(answer); key != said) {
        said = key;
        session.output.answer(as_json ? diagnose_json(answer)
                                      : diagnose_text(answer, style) + "\n");
      }
      fresh = false;
    }
    std::this_thread::sleep_for(kPause);
  }
  return kInterrupted;
}

}  // namespace sx
