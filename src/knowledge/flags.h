// What an engine's command line takes (data/engines/<engine>/flags.tsv, env.tsv, versions.tsv).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/version.h"
#include "knowledge/by_name.h"

namespace sx {

enum class FlagKind {
  Switch,  // takes no value; --no-x exists when `negatable`
  Integer,
  Number,
  String,
  Choice,    // one of `choices`
  List,      // one or more values
  Json,      // JSON object, also as dotted flags --x.a.b
  Optional,  // value may be left out
};

struct FlagRow {
  std::string_view
      name;  // "--tensor-parallel-size"; "" is never used, the positional is "model_tag"
  std::vector<std::string_view> aliases;  // "-tp"
  FlagKind kind = FlagKind::String;
  bool negatable = false;
  bool human_integer = false;             // takes 8k, 8K, 1.5m (from version 0.8.5 on)
  std::string_view default_text;          // of the newest version read; empty: none
  std::vector<std::string_view> choices;  // empty: anything
  std::optional<Version>
      first_seen;  // first version read that has it; empty: already in the oldest read
  std::optional<Version> removed;   // first version read without it; empty: still there
  std::optional<Version> returned;  // first version read that has it again after that
  std::string_view
      opposite_of;          // "--enable-x" of a "--disable-x" that means its negation; else empty
  bool repeats = false;     // may stand several times, each adding one value
  bool plain_text = false;  // a Json flag that takes other text too
  std::string_view group;
  std::string_view meaning, meaning_chinese;
  // "--x": the new name, the value stays; "--x value": to be put in place of flag and value; else
  // words, such as "leave it out: …"; empty: unknown.
  std::string_view successor;
  std::string_view successor_chinese;  // of words; empty: it is a name, which serves both languages
  std::string_view source;
};

// Whether a version has a flag, as far as the versions that were read tell.
enum class Standing { Known, Possible, NotYet, Removed, NotRead };

// `read` is oldest first and not empty. Newer than all of them counts as the newest.
Standing standing_of(const std::optional<Version>& first_seen,
                     const std::optional<Version>& removed, const std::optional<Version>& returned,
                     const std::vector<Version>& read, const Version& version);

struct EngineFlags {
  std::string_view engine;
  std::vector<FlagRow> rows;
  std::vector<Version> read;  // versions whose parser was read, oldest first
  std::vector<std::pair<std::string_view, std::size_t>>
      by_name;                 // names and aliases in order, with their rows
  ByName<std::size_t> row_of;  // the first row with that name or alias

  const FlagRow* find(std::string_view name_or_alias) const;  // exact, dashes as in the table
  Standing standing(const FlagRow& row, const Version& version) const;
  Version newest() const { return read.back(); }
  Version oldest() const { return read.front(); }
};

// "vllm"; null for an engine that has no table yet.
const EngineFlags* engine_flags(std::string_view engine);

// Defaults that differ by version (data/engines/<engine>/defaults.tsv): the value in force, e.g.
// engine_default("vllm", "gpu-memory-utilization", {0,19,1}) == "0.90". Empty: no row.
struct EngineDefault {
  std::string_view value;
  std::string_view source;
};
std::optional<EngineDefault> engine_default(std::string_view engine, std::string_view name,
                                            const Version& version);

}  // namespace sx
