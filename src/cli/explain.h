// What `sextant explain` can find a word to be; each kind of thing is looked up in its own file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "diag/message.h"
#include "knowledge/constraints.h"
#include "knowledge/scenes.h"

namespace sx {

struct Explained {
  std::string_view kind;  // "rule", "flag", "variable", "gpu", "xid", "model", "architecture" …
  std::string name;
  std::string text;  // with line ends
  // What the text says, one by one; names are English words with `_` between, for programs. Empty:
  // the text is all there is.
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::vector<std::vector<std::string>> rows = {};  // of a list
  std::vector<CauseScene> scenes = {};              // of a cause; they stand in the text too
};

// Each: nothing when the word is not of its kind. Several engines may have a flag of a name.
std::vector<Explained> explain_rule(std::string_view word, Language language);
std::vector<Explained> explain_flag(std::string_view word, Language language);
std::vector<Explained> explain_variable(std::string_view word, Language language);
std::vector<Explained> explain_gpu(std::string_view word, Language language);
std::vector<Explained> explain_xid(std::string_view word, Language language);
std::vector<Explained> explain_model(std::string_view word, Language language);
std::vector<Explained> explain_architecture(std::string_view word, Language language);
std::vector<Explained> explain_engine(std::string_view word, Language language);
std::vector<Explained> explain_quantisation(std::string_view word, Language language);
std::vector<Explained> explain_constraint(std::string_view word, Language language);
std::vector<Explained> explain_claim(std::string_view word, Language language);
// What a run can fail of, by its code or name.
std::vector<Explained> explain_cause(std::string_view word, Language language);
// By its name, or by a log line: what one sees, and what it usually is.
std::vector<Explained> explain_symptom(std::string_view word, Language language);
// Those that the filter is in; an empty one is in all.
std::vector<Explained> explain_symptoms(std::string_view filter, Language language);
std::vector<Explained> explain_claims(std::string_view filter, Language language);
// "rules", "flags", "variables", "gpus", "xids", "models", "architectures", "engines",
// "quantisation".
std::vector<Explained> explain_list(std::string_view word, Language language);

// Everything that has a name, for suggestions.
std::vector<std::string_view> explainable_names();

// Fields as an aligned list; those without a value are left out.
class Fields {
 public:
  explicit Fields(Language language) : language_(language) {}
  void add(const Text& title, std::string value) {
    if (value.empty()) return;
    named_.emplace_back(replaced(title.in(Language::English), " ", "_"), value);
    rows_.push_back({std::string(title.in(language_)), std::move(value)});
  }
  std::string text() const;
  Explained entry(std::string_view kind, std::string_view name) const;

 private:
  Language language_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::pair<std::string, std::string>> named_;
};

Explained listed(std::string_view word, std::vector<std::vector<std::string>> rows);
std::vector<Explained> list_quantisation();
// What is said wrongly of a flag or a variable.
void add_claims(Fields& fields, std::string_view name, Language language);
// The launch rules that a rule speaks for, as the end of its page; empty: none.
std::string constraints_of_rule(std::string_view rule, Language language);
// The same for what one sees of it.
std::string symptoms_of_rule(std::string_view rule, Language language);
// And for the lines that a log has of it.
std::string lines_of_rule(std::string_view rule, Language language);
// Logs with what `diagnose` answers to them: of a cause, also where a rule speaks for it.
std::string scenes_text(std::span<const CauseScene> scenes, Language language);
std::vector<CauseScene> scenes_of_rule(std::string_view rule);
std::vector<std::vector<std::string>> cause_rows(Language language);

// Words of a table; the Chinese may be missing where the English is a name.
std::string in_language(std::string_view english, std::string_view chinese, Language language);
std::string in_language(const Sentence& sentence, Language language);
std::string yes_or_no(const std::optional<bool>& value, Language language);  // unknown: empty

}  // namespace sx
