// `sextant explain WORD…`: a rule's page, a flag's row, a card's row, a model's row. The tables are
// documentation.
#include "cli/explain.h"

#include <boost/json.hpp>
#include <optional>

#include "base/shown_word.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "diag/listed.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Text kNoWord{
    "nothing to explain was given: a code (SX2103), a rule's name, a flag (--max-model-len), an "
    "environment variable, a GPU, an Xid, a model, a quantisation method, a log line in quotes, or "
    "a "
    "list: rules, flags, variables, gpus, xids, models, architectures, engines, quantisation, "
    "symptoms, claims, causes",
    "没有给出要解释的词：代码（SX2103）、规则名、参数（--max-model-len）、环境变量、GPU、Xid、"
    "模型、量化方法、加引号的一行日志，或列表：rules、flags、variables、gpus、xids、models、"
    "architectures、engines、quantisation、symptoms、claims、causes"};
constexpr Text kNothingHolds{"no row of {list} is about '{word}'",
                             "{list} 里没有关于 '{word}' 的条目"};
constexpr std::size_t kMostWords = 256;  // a long log line has some fifty
constexpr Text kTooManyWords{"{count} words were given; at most {most} are explained at a time",
                             "给出了 {count} 个词；一次最多解释 {most} 个"};
constexpr Text kUnknown{"'{word}' is nothing that is known here; `sextant explain` says what is",
                        "这里没有关于 '{word}' 的资料；可查内容见 `sextant explain`"};
constexpr Text kNearest{"{sentence}; the nearest: {names}", "{sentence}；最接近的是：{names}"};

using Look = std::vector<Explained> (*)(std::string_view word, Language language);

// The first that knows the word answers; exact names go before what is matched loosely.
constexpr Look kLooks[] = {
    explain_rule, explain_list,         explain_engine, explain_flag,         explain_variable,
    explain_xid,  explain_architecture, explain_claim,  explain_quantisation, explain_constraint,
    explain_gpu,  explain_model,        explain_cause,  explain_symptom};

std::vector<Explained> explain_word(std::string_view word, Language language) {
  for (const Look look : kLooks) {
    if (auto found = look(word, language); !found.empty()) return found;
  }
  return {};
}

Message nothing_known(std::string_view word) {
  const auto near = closest(word, explainable_names());
  const Message sentence{kUnknown, {{"word", shown_word(word)}}};
  if (near.empty()) return sentence;
  return {kNearest, {{"sentence", in_both(sentence)}, {"names", listed(near)}}};
}

boost::json::array scenes_json(const std::vector<CauseScene>& scenes) {
  boost::json::array list;
  for (const CauseScene& scene : scenes) {
    boost::json::array logs;
    for (const SceneLog& log : scene.logs)
      logs.push_back(
          {{"name", boost::json::string(log.name)}, {"text", boost::json::string(log.text)}});
    boost::json::object one{{"heading", boost::json::string(scene.heading.english)},
                            {"logs", std::move(logs)}};
    if (!scene.command.empty()) one["command"] = boost::json::string(scene.command);
    one["answer"] = nullptr;
    const SceneAnswer& answer = scene.answer;
    if (!answer.cause.empty())
      one["answer"] = boost::json::object{{"cause", boost::json::string(answer.cause)},
                                          {"confidence", boost::json::string(answer.confidence)},
                                          {"file", boost::json::string(answer.log)},
                                          {"line", answer.line}};
    list.push_back(std::move(one));
  }
  return list;
}

std::string as_json(const std::vector<Explained>& entries) {
  boost::json::array list;
  for (const Explained& entry : entries) {
    boost::json::object one{
        {"kind", boost::json::string(entry.kind)}, {"name", entry.name}, {"text", entry.text}};
    if (!entry.fields.empty()) {
      boost::json::array fields;
      for (const auto& [name, value] : entry.fields)
        fields.push_back({{"name", name}, {"value", value}});
      one["fields"] = std::move(fields);
    }
    if (!entry.rows.empty()) {
      boost::json::array rows;
      for (const auto& row : entry.rows) rows.push_back(boost::json::array(row.begin(), row.end()));
      one["rows"] = std::move(rows);
    }
    if (!entry.scenes.empty()) one["scenes"] = scenes_json(entry.scenes);
    list.push_back(std::move(one));
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

std::string all_but_first(const std::vector<std::string>& words) {
  return join(std::vector<std::string>(words.begin() + 1, words.end()), " ");
}

// `symptoms WORD…` and `claims WORD…`: all words behind are one filter. Nothing: it is no such
// question.
std::optional<std::vector<Explained>> filtered(const std::vector<std::string>& words,
                                               Language language) {
  const std::string list = lower(words.front());
  if (list != "symptoms" && list != "claims") return {};
  const std::string filter = all_but_first(words);
  return list == "symptoms" ? explain_symptoms(filter, language) : explain_claims(filter, language);
}

// "OOM", "hang": what one sees, where the word is no name nor the slip of one.
std::vector<Explained> seen_as(std::string_view word, Language language) {
  constexpr std::size_t kLeastLetters = 3;  // shorter ones are in every sentence
  const bool said = word.size() >= kLeastLetters && !word.starts_with('-') &&
                    closest(word, explainable_names()).empty();
  return said ? explain_symptoms(word, language) : std::vector<Explained>{};
}

// A log line that was given without quotes.
constexpr std::size_t kLeastWordsOfALine = 3;
std::vector<Explained> spread_line(const std::vector<std::string>& words, Language language) {
  if (words.size() < kLeastWordsOfALine) return {};
  if (!explain_word(words.front(), language).empty()) return {};
  const std::string line = join(words, " ");
  if (auto found = explain_xid(line, language); !found.empty()) return found;
  return explain_symptom(line, language);
}

void show(const std::vector<Explained>& entries, const Arguments& arguments, Session& session) {
  if (arguments.value("--format") == "json") {
    session.output.answer(as_json(entries));
    return;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) session.output.answer("\n");
    session.output.answer(entries[i].text);
  }
}

}  // namespace

std::string Fields::text() const { return table(rows_, {Align::Left, Align::Left}, 2); }

Explained Fields::entry(std::string_view kind, std::string_view name) const {
  return {kind, std::string(name), std::string(name) + '\n' + text(), named_};
}

Explained listed(std::string_view word, std::vector<std::vector<std::string>> rows) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  const std::string text = table(rows, std::vector<Align>(columns, Align::Left), 2);
  return {"list", std::string(word), text, {}, std::move(rows)};
}

std::string in_language(std::string_view english, std::string_view chinese, Language language) {
  return std::string(language == Language::Chinese && !chinese.empty() ? chinese : english);
}

std::string in_language(const Sentence& sentence, Language language) {
  return in_language(sentence.english, sentence.chinese, language);
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
  if (arguments.words.size() > kMostWords) {
    const Message many{kTooManyWords, {{"count", arguments.words.size()}, {"most", kMostWords}}};
    session.output.trouble(trouble_line(rendered(many, language), language));
    return kCouldNot;
  }
  if (auto entries = filtered(arguments.words, language)) {
    if (entries->empty()) {
      const Message nothing{
          kNothingHolds,
          {{"list", lower(arguments.words.front())}, {"word", all_but_first(arguments.words)}}};
      session.output.trouble(trouble_line(rendered(nothing, language), language));
    }
    show(*entries, arguments, session);
    return entries->empty() ? kCouldNot : kDone;
  }
  if (const auto entries = spread_line(arguments.words, language); !entries.empty()) {
    show(entries, arguments, session);
    return kDone;
  }
  std::vector<Explained> entries;
  int code = kDone;
  for (const std::string& word : joined_words(arguments.words)) {
    auto found = explain_word(word, language);
    if (found.empty()) found = seen_as(word, language);
    if (found.empty()) {
      session.output.trouble(trouble_line(rendered(nothing_known(word), language), language));
      code = kCouldNot;
    }
    for (Explained& entry : found) entries.push_back(std::move(entry));
  }
  show(entries, arguments, session);
  return code;
}

}  // namespace sx
