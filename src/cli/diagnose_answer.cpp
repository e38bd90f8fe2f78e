// Names become codes, rows become sentences, numbers of the log go into their places.
#include "cli/diagnose_answer.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "knowledge/causes.h"
#include "rules/all.h"

namespace sx {
namespace {

// The sentence with the log's own numbers; nothing where one of them was not in the line.
std::optional<std::string> filled(std::string_view sentence, const LogEvent& event) {
  std::string out;
  while (true) {
    const std::size_t open = sentence.find('{');
    out += sentence.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = sentence.find('}', open);
    if (close == std::string_view::npos) return {};
    const std::string_view value = event.capture(sentence.substr(open + 1, close - open - 1));
    if (value.empty()) return {};
    out += value;
    sentence.remove_prefix(close + 1);
  }
}

Both plain(const Sentence& sentence) {
  return {std::string(sentence.english), std::string(sentence.chinese)};
}

Both title_of(const CauseRow& row, const LogEvent& event) {
  const auto english = split(row.numbers.english, '|');
  const auto chinese = split(row.numbers.chinese, '|');
  for (std::size_t i = 0; i < english.size() && i < chinese.size(); ++i) {
    auto first = filled(trimmed(english[i]), event);
    auto second = filled(trimmed(chinese[i]), event);
    if (first && second && !first->empty()) return {std::move(*first), std::move(*second)};
  }
  return plain(row.title);
}

}  // namespace

std::string_view code_of_cause(std::string_view name) {
  if (const Rule* rule = rules::find(name)) return rule->code;
  const CauseRow* row = find_cause(name);
  return row == nullptr ? std::string_view() : row->code;
}

DiagnoseAnswer answer_of(RunLog run, Diagnosis diagnosis) {
  DiagnoseAnswer answer{.run = std::move(run),
                        .healthy = diagnosis.healthy,
                        .causes = {},
                        .beside = {},
                        .notes = {},
                        .host = {},
                        .next = {}};
  for (FoundCause& found : diagnosis.causes) {
    CauseAnswer one{.found = std::move(found),
                    .code = {},
                    .title = {},
                    .because = {},
                    .otherwise = {},
                    .sure = {},
                    .steps = {},
                    .fixes = {}};
    one.code = code_of_cause(one.found.name);
    if (const CauseRow* row = find_cause(one.found.name)) {
      one.title = title_of(*row, one.found.root);
      one.because = plain(row->because);
      one.otherwise = plain(row->otherwise);
      one.sure = plain(row->sure);
      one.steps = plain(row->fix);
    } else {
      one.title = {std::string(one.found.name), std::string(one.found.name)};
    }
    answer.causes.push_back(std::move(one));
  }
  return answer;
}

std::vector<Harmless> harmless_of(const DiagnoseAnswer& answer) {
  std::vector<Harmless> all;
  const auto rows = signatures();
  const auto count = [&](const SignatureRow* row) {
    const auto index = static_cast<std::size_t>(row - rows.data());
    return index < answer.run.counts.size() ? answer.run.counts[index] : 0;
  };
  for (const LogEvent& event : answer.run.noise) all.push_back({&event, count(event.row)});
  for (const LogEvent& event : answer.run.events) {
    if (event.row->kind != SignatureKind::Request) continue;
    const bool known =
        std::ranges::any_of(all, [&](const Harmless& one) { return one.event->row == event.row; });
    const bool answered = std::ranges::any_of(
        answer.causes, [&](const CauseAnswer& cause) { return cause.found.root.row == event.row; });
    if (!known && !answered) all.push_back({&event, count(event.row)});
  }
  return all;
}

std::string_view word(Certainty certainty) {
  switch (certainty) {
    case Certainty::Certain:
      return "certain";
    case Certainty::Likely:
      return "likely";
    case Certainty::Possible:
      return "possible";
  }
  return "possible";
}

std::string_view in(const Both& both, Language language) {
  return language == Language::Chinese && !both.chinese.empty() ? both.chinese : both.english;
}

}  // namespace sx
