// What another engine's spelling of a flag means for this one
// (data/engines/<engine>/foreign_flags.tsv), and how the names that rules speak in are written
// here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sx {

struct ForeignFlag {
  std::string_view typed;
  std::string_view name;      // the flag here, perhaps "--no-x"; empty: there is none
  bool carries_over = false;  // the same value means the same here
};

// Null for an engine without such a table, and for a word that is not in it.
const ForeignFlag* foreign_flag(std::string_view engine, std::string_view typed);

// Rules speak of flags and variables by vLLM's names, "--max-model-len", as common names. The
// engine's own name of such a flag, "--context-length"; the name itself where the engine has it or
// its flags are not known; empty: the engine has no such flag.
std::string own_name(std::string_view engine, std::string_view common);

// The same without a copy where it stands in a table or is the common one; else it is made in
// `made`, which must stay as long as the answer.
std::string_view own_name_in(std::string_view engine, std::string_view common, std::string& made);

// The same as `own_name` where a value is to be set: empty as well when the value would mean
// something else there.
std::string own_name_for_value(std::string_view engine, std::string_view common);

}  // namespace sx
