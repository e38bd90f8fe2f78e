// What `sextant explain` can find a word to be; each kind of thing is looked up in its own file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/message.h"

namespace sx {

struct Explained {
  std::string_view kind;  // "rule", "flag", "variable", "gpu", "xid", "model", "architecture" …
  std::string name;
  std::string text;  // with line ends
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
// "rules", "flags", "variables", "gpus", "xids", "models", "architectures", "engines".
std::vector<Explained> explain_list(std::string_view word, Language language);

// Everything that has a name, for suggestions.
std::vector<std::string_view> explainable_names();

// Fields as an aligned list; those without a value are left out.
class Fields {
 public:
  explicit Fields(Language language) : language_(language) {}
  void add(const Text& title, std::string value) {
    if (!value.empty()) rows_.push_back({std::string(title.in(language_)), std::move(value)});
  }
  std::string text() const;

 private:
  Language language_;
  std::vector<std::vector<std::string>> rows_;
};

// Words of a table; the Chinese may be missing where the English is a name.
std::string in_language(std::string_view english, std::string_view chinese, Language language);
std::string yes_or_no(const std::optional<bool>& value, Language language);  // unknown: empty

}  // namespace sx
