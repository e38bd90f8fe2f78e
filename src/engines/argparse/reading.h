// One flag's last use as a Fact of the wanted type, with the default of the version where it is not
// used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/argparse/spelling.h"
#include "facts/serve_spec.h"

namespace sx::argparse {

// Why a value is not known: it holds a variable that is set nowhere in its file.
Message why_incomplete(const Sources& sources, const Span& span);

class Reading {
 public:
  Reading(const ServeSpec& serve, const Dialect& dialect, const Sources& sources)
      : serve_(serve), dialect_(dialect), sources_(sources) {}

  // The last use of a flag without dots, also under another engine's name for it; null when there
  // is none.
  const FlagUse* use(std::string_view name) const;
  // All uses, dotted ones too.
  std::vector<const FlagUse*> uses(std::string_view name) const;

  // Unknown with a reason where a value is given and cannot be read; unknown without one where
  // nothing is given and the version has no default for it.
  Fact<std::string> text(std::string_view name) const;
  Fact<std::int64_t> integer(std::string_view name) const;
  Fact<int> count(std::string_view name) const;
  Fact<double> number(std::string_view name) const;
  Fact<bool> flag(std::string_view name) const;
  Fact<std::string> json(std::string_view name) const;

  Message why(const FlagUse& use) const;

 private:
  std::optional<std::string_view> default_text(std::string_view name) const;

  const ServeSpec& serve_;
  const Dialect& dialect_;
  const Sources& sources_;
};

}  // namespace sx::argparse
