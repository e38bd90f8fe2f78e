// Which flag of which version a word names, as Python's argparse decides it, with what an engine
// adds to that (command_line.tsv).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/flags.h"

namespace sx::argparse {

struct Spelling {
  enum class Found { None, One, Many };
  Found found = Found::None;
  const FlagRow* row = nullptr;  // of One; of None: a flag that another version has
  Standing standing = Standing::Known;
  bool negated = false;
  bool append = false;                  // --x.a+
  std::optional<std::string> path;      // "a.b" of --x.a.b
  std::optional<std::string> value;     // behind '=', or glued to a short flag
  std::string name;                     // the flag part in dashes, without value and path
  std::size_t name_length = 0;          // bytes of the word that are not `=value`
  std::vector<std::string> candidates;  // of Many
};

// Version and table that a command line is read with. Belongs to one reading: its index is made
// when it is first needed.
class Dialect {
 public:
  struct Name {
    std::string text;  // "--tensor-parallel-size", "-tp", "--no-enforce-eager"
    const FlagRow* row = nullptr;
    bool negated = false;
    Standing standing = Standing::Known;
  };

  Dialect(const EngineFlags& table, const Version& of);

  bool has(const FlagRow& row) const;
  // Rows of the engine's command_line.tsv, as in habits.h.
  std::optional<std::string_view> habit(std::string_view name) const;
  bool holds(std::string_view name, std::string_view value) const;
  // All names that the version has or may have, in order.
  const std::vector<Name>& names() const;

  const EngineFlags& flags;
  const Version version;
  const bool underscores;  // --a_b is --a-b
  const bool dotted;       // --x.a.b 1 is {"a": {"b": 1}} of --x

 private:
  mutable std::vector<Name> names_;
};

// A word that begins with a dash and is no number. `-` alone is an argument.
bool looks_like_flag(std::string_view word);

Spelling find_spelling(std::string_view word, const Dialect& dialect);

// Names to suggest for a word that names no flag, best first: what another engine's spelling means
// here goes first.
std::vector<std::string> suggestions(const std::string& name, const Dialect& dialect);

}  // namespace sx::argparse
