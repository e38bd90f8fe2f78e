// Conditions are words: near:MARK, run:MARK, phase<ready, NUMBER<=4 of a capture, engine:NAME,
// chained, oom-kills=0 of the kernel; `!` turns one around.
#include "logs/refine.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr int kMostSteps = 6;  // rows may lead to one another; a circle must end

struct Comparison {
  std::string_view left, sign, right;
};

std::optional<Comparison> comparison(std::string_view term) {
  for (const std::string_view sign : {"<=", ">=", "!=", "<", ">", "="}) {
    const std::size_t at = term.find(sign);
    if (at != std::string_view::npos)
      return Comparison{term.substr(0, at), sign, term.substr(at + sign.size())};
  }
  return {};
}

template <class T>
bool holds(const T& left, std::string_view sign, const T& right) {
  if (sign == "<=") return left <= right;
  if (sign == ">=") return left >= right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == ">") return left > right;
  return left == right;
}

bool near(const LogEvent& event, std::string_view mark) {
  return std::ranges::find(event.near, mark) != event.near.end();
}

bool compared(const Comparison& one, const LogEvent& event, const RunLog& run) {
  if (one.left == "phase") return holds(event.phase, one.sign, phase_of(one.right));
  if (one.left == "oom-kills") {  // by the kernel; neither holds where nobody counted
    const auto number = to_integer(one.right);
    return run.oom_kills && number && holds<long long>(*run.oom_kills, one.sign, *number);
  }
  const std::string_view said = event.capture(one.left);
  if (said.empty()) return false;
  const auto left = to_number(said);
  const auto right = to_number(one.right);
  if (left && right) return holds(*left, one.sign, *right);
  return holds(said, one.sign, one.right);
}

bool term_holds(std::string_view term, const LogEvent& event, const RunLog& run) {
  if (term.starts_with('!')) return !term_holds(term.substr(1), event, run);
  const auto after = [&](std::string_view front) { return term.substr(front.size()); };
  if (term.starts_with("near:")) return near(event, after("near:"));
  if (term.starts_with("run:")) return run.mark(after("run:")) != nullptr;
  if (term.starts_with("engine:")) return run.engine == after("engine:");
  if (term.starts_with("id:")) return event.row->id == after("id:");
  if (term == "chained") return event.chained;
  if (term == "served") return run.last_ready >= event.start;
  const auto one = comparison(term);
  return one && compared(*one, event, run);
}

}  // namespace

Reading read_in_place(const LogEvent& event, const RunLog& run) {
  Reading reading{
      .cause = event.row->cause, .certainty = event.row->certainty, .because = {}, .at = {}};
  for (int step = 0; step < kMostSteps && !reading.cause.empty(); ++step) {
    const auto rows = refinements();
    const auto row = std::ranges::find_if(rows, [&](const RefinementRow& one) {
      return one.from == reading.cause && std::ranges::all_of(one.when, [&](std::string_view term) {
               return term_holds(term, event, run);
             });
    });
    if (row == rows.end()) break;
    for (const std::string_view term : row->when) {
      for (const std::string_view front : {"near:", "run:"}) {
        if (term.starts_with(front)) reading.because.push_back(term.substr(front.size()));
      }
    }
    const bool same = row->to == reading.cause;
    reading.cause = row->to;
    if (row->certainty) reading.certainty = *row->certainty;
    if (!row->at.empty()) reading.at = row->at;
    if (same) break;
  }
  return reading;
}

}  // namespace sx
