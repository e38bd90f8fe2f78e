// What is in force for one flag: its last use, else its environment variable, else its default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "facts/serve_spec.h"
#include "knowledge/flags.h"

namespace sx::llamacpp {

class Reading {
 public:
  Reading(const ServeSpec& serve, const Command& command, const EngineFlags& flags,
          const Sources& sources)
      : serve_(serve), command_(command), flags_(flags), sources_(sources) {}

  const FlagUse* use(std::string_view name) const;

  // Unknown with a reason where a value is given and cannot be read; unknown without one where
  // nothing is given and there is no default.
  Fact<std::string> text(std::string_view name) const;
  Fact<std::int64_t> integer(std::string_view name) const;
  Fact<int> count(std::string_view name) const;
  // The same, but 0 and less count as not given: the engine then decides itself.
  Fact<std::int64_t> positive(std::string_view name) const;
  Fact<bool> flag(std::string_view name) const;

 private:
  // The variable that stands for a flag, where the command's environment sets it.
  const Setting* variable(std::string_view name) const;
  std::string_view default_text(std::string_view name) const;

  const ServeSpec& serve_;
  const Command& command_;
  const EngineFlags& flags_;
  const Sources& sources_;
};

}  // namespace sx::llamacpp
