// Scalars by what YAML takes them for; the text of a string in JSON's quotes.
#include "read/yaml_json.h"

#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "read/written_word.h"

namespace sx {
namespace {

std::string quoted(const std::string& text) { return quoted_word(text, Quoting::Json); }

std::string scalar(const YamlNode& node) {
  switch (node.type) {
    case YamlNode::Type::Null:
      return "null";
    case YamlNode::Type::Bool:
      return node.boolean() == true ? "true" : "false";
    case YamlNode::Type::Integer: {
      const auto number = node.integer();
      return number ? std::to_string(*number) : quoted(node.text);
    }
    case YamlNode::Type::Number:
      return node.text.find_first_not_of("0123456789.") == std::string::npos &&
                     node.text.front() != '.' && node.text.back() != '.'
                 ? node.text
                 : std::to_string(node.number().value_or(0));
    case YamlNode::Type::String:
      return quoted(node.text);
  }
  SX_UNREACHABLE("a type of scalar without a text");
}

}  // namespace

std::string json_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "null";
    case YamlNode::Kind::Scalar:
      return scalar(node);
    case YamlNode::Kind::List: {
      std::vector<std::string> parts;
      for (const YamlNode& item : node.items) parts.push_back(json_of(item));
      return '[' + join(parts, ", ") + ']';
    }
    case YamlNode::Kind::Map: {
      std::vector<std::string> parts;
      for (const auto& [key, value] : node.members)
        parts.push_back(quoted(key) + ": " + json_of(value));
      return '{' + join(parts, ", ") + '}';
    }
  }
  SX_UNREACHABLE("a kind of node without a text");
}

}  // namespace sx
