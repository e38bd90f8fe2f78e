// YAML scalars, lists and maps with the places they stood at (yaml-cpp behind it). Scalars by YAML 1.1, as PyYAML reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace sx {

struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  enum class Type { Null, Bool, Integer, Number, String };  // of a scalar, as YAML 1.1 reads it
  Kind kind = Kind::Null;
  Type type = Type::Null;
  std::string text;                                      // of a scalar, as written (quotes removed)
  bool quoted = false;
  Span span;                                             // of the value
  Span key_span;                                         // of the member's key
  std::vector<YamlNode> items;                           // of a list
  std::vector<std::pair<std::string, YamlNode>> members; // of a map, in order; merge keys resolved

  const YamlNode* find(std::string_view key) const;
  std::optional<bool> boolean() const;
};

// All documents of a text. Limits: 8 MiB, depth 64, 200 000 nodes after aliases are followed (a bomb is refused).
Result<std::vector<YamlNode>> parse_yaml(const Sources& sources, int source);

}  // namespace sx
