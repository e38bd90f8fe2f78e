// `sextant explain WORD…`: a rule's page, a flag's row, a card's row, a model's row. The tables are
// documentation.
#include "cli/explain.h"

#include <boost/json.hpp>

#include "base/strings.h"
#include "cli/commands.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Text kNoWord{
    "nothing to explain was given: a code (SX2103), a rule's name, a flag (--max-model-len), an "
    "environment variable, a GPU, an Xid, a model, or a list: rules, flags, variables, gpus, xids, "
    "models, architectures, engines",
    "没有给出要解释的词：代码（SX2103）、规则名、参数（--max-model-"
    "len）、环境变量、GPU、Xid、模型，"
    "或列表：rules、flags、variables、gpus、xids、models、architectures、engines"};
constexpr Text kUnknown{"'{word}' is nothing that is known here", "这里没有关于 '{word}' 的资料"};
constexpr Text kNearest{"{sentence}; the nearest: {names}", "{sentence}；最接近的是：{names}"};

using Look = std::vector<Explained> (*)(std::string_view word, Language language);

// The first that knows the word answers; exact names go before what is matched loosely.
constexpr Look kLooks[] = {explain_rule,         explain_list,     explain_engine,
                           explain_flag,         explain_variable, explain_xid,
                           explain_architecture, explain_gpu,      explain_model};

std::vector<Explained> explain_word(std::string_view word, Language language) {
  for (const Look look : kLooks) {
    if (auto found = look(word, language); !found.empty()) return found;
  }
  return {};
}

Message nothing_known(std::string_view word) {
  const auto near = closest(word, explainable_names());
  const Message sentence{kUnknown, {{"word", word}}};
  if (near.empty()) return sentence;
  return {kNearest, {{"sentence", in_both(sentence)}, {"names", join(near, ", ")}}};
}

std::string as_json(const std::vector<Explained>& entries) {
  boost::json::array list;
  for (const Explained& entry : entries) {
    list.push_back(
        {{"kind", boost::json::string(entry.kind)}, {"name", entry.name}, {"text", entry.text}});
  }
  return boost::json::serialize(
             boost::json::object{{"schema", "sextant.explain/1"}, {"entries", std::move(list)}}) +
         '\n';
}

// "xid 79" and "Xid 79" are one thing in two words.
std::vector<std::string> joined_words(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool pair = lower(words[i]) == "xid" && i + 1 < words.size();
    out.push_back(pair ? words[i] + ' ' + words[i + 1] : words[i]);
    if (pair) ++i;
  }
  return out;
}

}  // namespace

std::string Fields::text() const { return table(rows_, {Align::Left, Align::Left}, 2); }

std::string in_language(std::string_view english, std::string_view chinese, Language language) {
  return std::string(language == Language::Chinese && !chinese.empty() ? chinese : english);
}

std::string yes_or_no(const std::optional<bool>& value, Language language) {
  if (!value) return "";
  const Text text = *value ? Text{"yes", "是"} : Text{"no", "否"};
  return std::string(text.in(language));
}

int explain_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  if (arguments.words.empty()) {
    session.output.trouble(trouble_line(kNoWord.in(language), language));
    return kCouldNot;
  }
  std::vector<Explained> entries;
  int code = kDone;
  for (const std::string& word : joined_words(arguments.words)) {
    auto found = explain_word(word, language);
    if (found.empty()) {
      session.output.trouble(trouble_line(rendered(nothing_known(word), language), language));
      code = kCouldNot;
    }
    for (Explained& entry : found) entries.push_back(std::move(entry));
  }
  if (arguments.value("--format") == "json") {
    session.output.answer(as_json(entries));
    return code;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) session.output.answer("\n");
    session.output.answer(entries[i].text);
  }
  return code;
}

}  // namespace sx
