// YAML scalars, lists and maps with the places they stood at (yaml-cpp behind it). Scalars by
// YAML 1.1, as PyYAML reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace sx {

struct YamlMember;

struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  enum class Type { Null, Bool, Integer, Number, String };  // of a scalar, as YAML 1.1 reads it
  Kind kind = Kind::Null;
  Type type = Type::Null;
  std::string text;  // of a scalar, as written (quotes removed)
  bool quoted = false;
  Span span;                        // of the value
  Span key_span;                    // of the member's key
  std::vector<YamlNode> items;      // of a list
  std::vector<YamlMember> members;  // of a map, in order, each key once; merge keys resolved

  const YamlNode* find(std::string_view key) const;
  // Of a scalar of that type; nothing else converts.
  std::optional<bool> boolean() const;
  std::optional<long long> integer() const;  // 010 is 8, 0x10 is 16, 1_000 is 1000, 1:30 is 90
  std::optional<double> number() const;      // integers too
};

struct YamlMember {
  std::string key;
  YamlNode value;
};

// All documents of a text. Limits: 8 MiB, depth 64, 200 000 nodes after aliases are followed (a
// bomb is refused).
Result<std::vector<YamlNode>> parse_yaml(const Sources& sources, int source);

}  // namespace sx
