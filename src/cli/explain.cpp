// `sextant explain WORD…`: a rule's page, a flag's row, a card's row, a model's row. The tables are
// documentation.
#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/commands.h"
#include "knowledge/embedded.h"
#include "knowledge/flags.h"
#include "knowledge/gpus.h"
#include "knowledge/models.h"
#include "knowledge/per_engine.h"
#include "rules/all.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Text kNoWord{
    "nothing to explain was given: a code (SX2103), a rule's name, a flag (--max-model-len), a GPU "
    "or a model",
    "没有给出要解释的词：代码（SX2103）、规则名、参数（--max-model-len）、GPU 或模型"};
constexpr Text kUnknown{"'{word}' is no code, rule, flag, GPU or model that is known here",
                        "'{word}' 不是这里已知的代码、规则、参数、GPU 或模型"};
constexpr Text kNearest{"{sentence}; the nearest: {names}", "{sentence}；最接近的是：{names}"};

struct Entry {
  std::string_view kind;  // "rule", "flag", "gpu", "model"
  std::string name;
  std::string text;
};

// Fields as an aligned list; unknown ones are left out.
class Fields {
 public:
  explicit Fields(Language language) : language_(language) {}
  void add(const Text& title, std::string value) {
    if (!value.empty()) rows_.push_back({std::string(title.in(language_)), std::move(value)});
  }
  std::string text() const { return table(rows_, {Align::Left, Align::Left}, 2); }

 private:
  Language language_;
  std::vector<std::vector<std::string>> rows_;
};

// The page as people read it: scenes stay, what the tests expect of them goes.
std::string without_expectations(std::string_view page) {
  std::string out;
  bool skipping = false;
  for (const auto line : lines_of(page)) {
    if (line.starts_with("```expect")) {
      skipping = true;
      if (out.ends_with("\n\n")) out.pop_back();
      continue;
    }
    if (skipping) {
      skipping = !line.starts_with("```");
      continue;
    }
    out += line;
    out += '\n';
  }
  return out;
}

std::optional<Entry> explain_rule(std::string_view word, Language language) {
  const Rule* rule = rules::find(word);
  if (rule == nullptr) return {};
  const std::string name = rules::page_name(*rule, language);
  for (const Embedded& file : embedded_files()) {
    if (file.name == name)
      return Entry{"rule", std::string(rule->code), without_expectations(file.bytes)};
  }
  return {};
}

Text kind_title(FlagKind kind) {
  switch (kind) {
    case FlagKind::Switch:
      return {"switch, takes no value", "开关，不带值"};
    case FlagKind::Integer:
      return {"whole number", "整数"};
    case FlagKind::Number:
      return {"number", "数字"};
    case FlagKind::String:
      return {"text", "文本"};
    case FlagKind::Choice:
      return {"one of a list", "限定取值"};
    case FlagKind::List:
      return {"one or more values", "一个或多个值"};
    case FlagKind::Json:
      return {"JSON object, also as dotted flags", "JSON 对象，也可写成带点的参数"};
    case FlagKind::Optional:
      return {"value may be left out", "值可省略"};
  }
  return {"text", "文本"};
}

// Words of a table; the Chinese may be missing where the English is a name.
std::string in_language(std::string_view english, std::string_view chinese, Language language) {
  return std::string(language == Language::Chinese && !chinese.empty() ? chinese : english);
}

std::string joined(const std::vector<std::string_view>& words) {
  std::vector<std::string> owned(words.begin(), words.end());
  return join(owned, ", ");
}

const FlagRow* find_flag(const EngineFlags& flags, std::string_view word) {
  const std::string name = replaced(word, "_", "-");
  const FlagRow* row = flags.find(name);
  return row == nullptr && !word.starts_with('-') ? flags.find("--" + name) : row;
}

std::string flag_text(const EngineFlags& flags, const FlagRow& row, Language language) {
  Fields fields(language);
  fields.add({"engine", "引擎"}, std::string(flags.engine));
  fields.add({"also", "别名"}, joined(row.aliases));
  fields.add({"value", "取值"}, std::string(kind_title(row.kind).in(language)));
  fields.add({"one of", "可选值"}, joined(row.choices));
  fields.add({"default", "默认值"}, std::string(row.default_text));
  fields.add({"first seen in", "最早见于"},
             row.first_seen ? row.first_seen->text() : "<= " + flags.oldest().text());
  fields.add({"gone in", "移除于"}, row.removed ? row.removed->text() : "");
  fields.add({"in its place", "替代"}, in_language(row.successor, row.successor_chinese, language));
  fields.add({"meaning", "含义"}, in_language(row.meaning, row.meaning_chinese, language));
  fields.add({"source", "来源"}, std::string(row.source));
  return std::string(row.name) + '\n' + fields.text();
}

// Of each engine that has it.
std::optional<Entry> explain_flag(std::string_view word, Language language) {
  std::optional<Entry> entry;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    const FlagRow* row = flags == nullptr ? nullptr : find_flag(*flags, word);
    if (row == nullptr) continue;
    const std::string text = flag_text(*flags, *row, language);
    if (entry) {
      entry->text += '\n' + text;
    } else {
      entry = Entry{"flag", std::string(row->name), text};
    }
  }
  return entry;
}

std::string number_text(const std::optional<double>& number, std::string_view unit) {
  return number ? rendered(Value{*number}, Language::English) + ' ' + std::string(unit) : "";
}

std::string yes_or_no(const std::optional<bool>& value, Language language) {
  if (!value) return "";
  const Text text = *value ? Text{"yes", "是"} : Text{"no", "否"};
  return std::string(text.in(language));
}

std::optional<Entry> explain_gpu(std::string_view word, Language language) {
  const GpuMatch match = match_gpu(word);
  if (match.kind == nullptr) return {};
  const GpuKind& kind = *match.kind;
  Fields fields(language);
  fields.add({"assumed", "假定"}, in_language(match.assumed, match.assumed_chinese, language));
  fields.add({"architecture", "架构"}, std::string(kind.architecture));
  fields.add({"compute capability", "计算能力"}, kind.capability ? kind.capability->text() : "");
  fields.add({"memory", "显存"}, kind.memory ? rendered(Value{*kind.memory}, language) : "");
  fields.add({"held back by the driver", "驱动保留"},
             kind.held_back ? rendered(Value{*kind.held_back}, language) : "");
  fields.add({"memory bandwidth", "显存带宽"}, number_text(kind.memory_gb_per_second, "GB/s"));
  fields.add({"bfloat16", "bfloat16"}, yes_or_no(kind.bf16, language));
  fields.add({"FP8 units", "FP8 单元"}, yes_or_no(kind.fp8, language));
  fields.add({"NVLink", "NVLink"}, number_text(kind.nvlink_gb_per_second, "GB/s"));
  fields.add({"PCIe", "PCIe"}, std::string(kind.pcie));
  fields.add({"source", "来源"}, std::string(kind.source));
  return Entry{"gpu", std::string(kind.name), std::string(kind.name) + '\n' + fields.text()};
}

std::optional<Entry> explain_model(std::string_view word, Language language) {
  const ModelMatch match = match_model(word);
  if (!match.row) return {};
  const ModelRow& row = *match.row;
  Fields fields(language);
  const auto add = [&](const Text& title, std::string_view column) {
    if (const auto cell = row.text(column)) fields.add(title, std::string(*cell));
  };
  fields.add({"same shape as", "结构同"}, std::string(match.same_shape_as));
  add({"architecture", "架构"}, "architecture");
  add({"layers", "层数"}, "num_hidden_layers");
  add({"hidden size", "隐藏维度"}, "hidden_size");
  add({"attention heads", "注意力头"}, "num_attention_heads");
  add({"KV heads", "KV 头"}, "num_key_value_heads");
  add({"vocabulary", "词表"}, "vocab_size");
  add({"experts", "专家"}, "n_experts");
  add({"longest context", "最长上下文"}, "max_position_embeddings");
  add({"quantisation", "量化"}, "quant_method");
  add({"parameters, billions", "参数量（十亿）"}, "total_params_b");
  add({"source", "来源"}, "source");
  return Entry{"model", std::string(row.id()), std::string(row.id()) + '\n' + fields.text()};
}

std::optional<Entry> explain_word(std::string_view word, Language language) {
  if (auto entry = explain_rule(word, language)) return entry;
  if (auto entry = explain_flag(word, language)) return entry;
  if (auto entry = explain_gpu(word, language)) return entry;
  return explain_model(word, language);
}

Message nothing_known(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Rule* rule : rules::all()) {
    names.push_back(rule->code);
    names.push_back(rule->name);
  }
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr) continue;
    for (const FlagRow& row : flags->rows) names.push_back(row.name);
  }
  for (const GpuKind& kind : gpu_kinds()) names.push_back(kind.name);
  for (const auto id : model_ids()) names.push_back(id);
  const auto near = closest(word, names);
  const Message sentence{kUnknown, {{"word", word}}};
  if (near.empty()) return sentence;
  return {kNearest, {{"sentence", in_both(sentence)}, {"names", join(near, ", ")}}};
}

std::string as_json(const std::vector<Entry>& entries) {
  boost::json::array list;
  for (const Entry& entry : entries) {
    list.push_back(
        {{"kind", boost::json::string(entry.kind)}, {"name", entry.name}, {"text", entry.text}});
  }
  return boost::json::serialize(
             boost::json::object{{"schema", "sextant.explain/1"}, {"entries", std::move(list)}}) +
         '\n';
}

}  // namespace

int explain_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  if (arguments.words.empty()) {
    session.output.trouble(trouble_line(kNoWord.in(language), language));
    return kCouldNot;
  }
  std::vector<Entry> entries;
  int code = kDone;
  for (const std::string& word : arguments.words) {
    if (auto entry = explain_word(word, language)) {
      entries.push_back(std::move(*entry));
      continue;
    }
    session.output.trouble(trouble_line(rendered(nothing_known(word), language), language));
    code = kCouldNot;
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
