// A count that is no number stays a text: the rules that read it say so.
#include "engines/argparse/speculative.h"

#include <optional>
#include <vector>

#include "base/strings.h"
#include "engines/argparse/conversions.h"
#include "engines/argparse/values.h"

namespace sx::argparse {

Fact<std::string> speculative_of(const Reading& read, std::span<const SpeculativeFlag> flags) {
  using Kind = SpeculativeFlag::Kind;
  std::vector<Member> members;
  std::optional<Span> place;
  for (const SpeculativeFlag& part : flags) {
    const FlagUse* use = read.use(part.flag);
    if (use == nullptr) continue;
    if (!use->complete || use->values.empty()) return Fact<std::string>::unknown(read.why(*use));
    const std::string& value = use->values.front();
    members.push_back({.key = std::string(part.key),
                       .value = part.kind == Kind::Method ? lower(value) : value,
                       .quoted = part.kind != Kind::Number || !python_integer(value)});
    if (!place || part.kind == Kind::Method) place = use->span;
  }
  if (members.empty()) return {};
  return {json_object(members), Origin::Flag, place};
}

}  // namespace sx::argparse
