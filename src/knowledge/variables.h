// Environment variables that an engine reads (data/engines/<engine>/env.tsv).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/flags.h"

namespace sx {

struct VariableRow {
  std::string_view name;          // "VLLM_USE_V1"
  std::string_view type;          // as the engine writes it: "bool", "int | None"; empty: unknown
  std::string_view default_text;  // as the engine writes it: "False", "'cuda'"; empty: unknown
  std::string_view action;        // read; set or pop: the engine itself changes it
  std::string_view meaning, meaning_chinese;
  bool first_seen_known = true;       // false: it is in the newest version, since when is unknown
  std::optional<Version> first_seen;  // empty and known: already in the oldest version read
  std::optional<Version> removed;     // first version read without it
  std::string_view default_changes;   // "0.11.2:'12.8'; 0.12.0:'12.9'"
  // How the text is read where that is known: number, fraction, one (only 1 is on), true (only the
  // word is), one_or_true, any_text (even 0 is on); and the newest version in which it was read so.
  std::string_view reads;
  std::optional<Version> reads_at;
  std::string_view successor;  // "--flag {value}": what says the same; a bare flag: where to look
  std::string_view flag;       // the flag whose place the variable takes
  std::string_view source;
};

const VariableRow* find_variable(std::string_view engine, std::string_view name);
// In order.
std::vector<std::string_view> variable_names(std::string_view engine);

// NotRead also for a variable whose beginning is unknown, as long as it was not removed.
Standing variable_standing(std::string_view engine, const VariableRow& row, const Version& version);

}  // namespace sx
