// `sextant plan`: gather the question, search, say the answer.
#include <chrono>

#include "cli/commands.h"
#include "cli/plan_answer.h"
#include "cli/plan_ask.h"
#include "cli/plan_pipeline.h"
#include "cli/plan_splits.h"
#include "sys/heap_room.h"

namespace sx {
namespace {

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

}  // namespace

int plan_command(const Arguments& arguments, Session& session) {
  // The smallest plan touches three quarters of this, one of six GPUs a little more than it.
  constexpr Bytes kHeap = mib(1);
  make_heap_room(kHeap);
  const Style style = decide_style({.colour = arguments.colour(),
                                    .language = arguments.language(),
                                    .all = arguments.has("--all")},
                                   session.outside.environment);
  if (arguments.has("--splits")) {
    const auto table = splits_answer(arguments, session, style);
    if (!table) return could_not(table.error(), session, style.language);
    session.output.answer(*table);
    return kDone;
  }
  if (const auto pipeline = gather_pipeline(arguments, session)) {
    if (!*pipeline) return could_not(pipeline->error(), session, style.language);
    return answer_pipeline(**pipeline, arguments, style, session);
  }
  const auto gathered = gather_plan(arguments, session);
  if (!gathered) return could_not(gathered.error(), session, style.language);
  const auto begin = std::chrono::steady_clock::now();
  const PlanAnswer answer = make_plans((*gathered)->ask);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const PlanPage page{.asked = **gathered,
                      .answer = answer,
                      .microseconds = took.count(),
                      .why = arguments.has("--why"),
                      .style = style};
  const std::string format = arguments.value("--format").value_or("text");
  if (format == "json") {
    say_plan_json(page, [&session](std::string_view piece) { session.output.answer(piece); });
  } else {
    session.output.answer(format == "markdown" ? plan_markdown(page) : plan_text(page));
  }
  if (answer.any_fits()) return kDone;
  if (!answer.memory_unknown) return kFindings;
  session.output.trouble(trouble_line(rendered(answer.nothing, style.language), style.language));
  return kCouldNot;
}

}  // namespace sx
