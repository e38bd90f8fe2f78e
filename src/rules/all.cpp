// Every rule, in code order. A new rule adds a declaration and a line.
#include "rules/all.h"

#include "base/strings.h"

namespace sx::rules {

extern const Rule cli_flag_unknown;
extern const Rule cli_flag_removed;
extern const Rule flag_value_type;
extern const Rule flag_repeated;
extern const Rule flag_ambiguous;
extern const Rule extra_word;
extern const Rule config_file_ignored;
extern const Rule tp_heads_indivisible;
extern const Rule oom_weights_too_big;
extern const Rule no_kv_blocks;
extern const Rule kv_cache_max_len;

namespace {

constexpr const Rule* kAll[] = {
    &cli_flag_unknown,
    &cli_flag_removed,
    &flag_value_type,
    &flag_repeated,
    &flag_ambiguous,
    &extra_word,
    &config_file_ignored,
    &tp_heads_indivisible,
    &oom_weights_too_big,
    &no_kv_blocks,
    &kv_cache_max_len,
};

std::string_view folder_of(std::string_view code) {
  switch (code[2]) {
    case '1': return "command";
    case '2': return "layout";
    case '3': return "memory";
    case '4': return "model";
    case '5': return "machine";
    case '6': return "links";
    case '8': return "serving";
    case '9': return "exposure";
    default: SX_UNREACHABLE("a code of no family");
  }
}

}  // namespace

std::span<const Rule* const> all() { return kAll; }

const Rule* find(std::string_view code_or_name) {
  const std::string wanted = lower(code_or_name);
  for (const Rule* rule : kAll) {
    if (lower(rule->code) == wanted || rule->name == wanted) return rule;
  }
  return nullptr;
}

std::string page_name(const Rule& rule, Language language) {
  return "rules/" + std::string(folder_of(rule.code)) + '/' + replaced(rule.name, "-", "_") +
         (language == Language::English ? ".md" : ".zh.md");
}

}  // namespace sx::rules
