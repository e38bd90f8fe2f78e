// A small tree of objects whose leaves stay the text they were.
#include "engines/argparse/json_flags.h"

#include <algorithm>

#include "base/strings.h"
#include "read/json.h"

namespace sx::argparse {
namespace {

// Deeper dots than any config has; the rest of a longer path is one name.
constexpr std::size_t kDepth = 32;
// Members that one flag may gather: past them a search through a list is no longer quick.
constexpr std::size_t kMembers = 4096;

struct Tree {
  std::string leaf;                                          // JSON text; empty: an object
  std::vector<std::pair<std::string, std::size_t>> members;  // index into the nodes
};

class Builder {
 public:
  Builder() { nodes_.emplace_back(); }

  bool set_text(const std::string& text) {
    const auto document = JsonDocument::parse(text);
    if (!document) return false;
    if (!document->root().is(JsonKind::Object)) return false;
    merge(0, document->root(), 0);
    return true;
  }

  void set_path(std::string_view path, const std::string& value) {
    std::size_t at = 0;
    std::string_view rest = path;
    for (std::size_t depth = 0; depth < kDepth; ++depth) {
      const std::size_t dot = rest.find('.');
      if (dot == std::string_view::npos) break;
      at = child(at, rest.substr(0, dot));
      rest.remove_prefix(dot + 1);
    }
    at = child(at, rest);
    const auto document = JsonDocument::parse(value);
    if (document && document->root().is(JsonKind::Object)) {
      merge(at, document->root(), 0);
    } else {
      nodes_[at].members.clear();
      nodes_[at].leaf = document ? value : json_quoted(value);
    }
  }

  std::string text(std::size_t at = 0) const {
    if (!nodes_[at].leaf.empty()) return nodes_[at].leaf;
    std::vector<std::string> parts;
    for (const auto& [key, index] : nodes_[at].members)
      parts.push_back(json_quoted(key) + ": " + text(index));
    return '{' + join(parts, ", ") + '}';
  }

 private:
  std::size_t child(std::size_t at, std::string_view key) {
    nodes_[at].leaf.clear();
    for (const auto& [name, index] : nodes_[at].members) {
      if (name == key) return index;
    }
    if (nodes_.size() >= kMembers) return nodes_.size() - 1;
    nodes_.emplace_back();
    nodes_[at].members.emplace_back(std::string(key), nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  void merge(std::size_t at, JsonValue object, std::size_t depth) {
    nodes_[at].leaf.clear();
    for (JsonValue value = object.first(); value; value = value.next()) {
      const std::size_t index = child(at, value.key());
      if (value.is(JsonKind::Object) && depth < kDepth) {
        merge(index, value, depth + 1);
      } else {
        nodes_[index].members.clear();
        nodes_[index].leaf = std::string(value.raw());
      }
    }
  }

  std::vector<Tree> nodes_;
};

std::string list_text(std::string_view value) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(value, ',')) parts.push_back(json_quoted(part));
  return '[' + join(parts, ", ") + ']';
}

}  // namespace

std::string json_quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::optional<std::string> merged_json(const std::vector<const FlagUse*>& uses) {
  std::vector<const FlagUse*> given;
  for (const FlagUse* use : uses) {
    if (use->values.empty()) return {};
    // A whole text takes the place of the whole texts before it; dotted ones stay beside it.
    if (!use->path) std::erase_if(given, [](const FlagUse* earlier) { return !earlier->path; });
    given.push_back(use);
  }
  if (given.size() == 1 && !given.front()->path) return given.front()->values.front();
  Builder builder;
  for (const FlagUse* use : given) {
    if (!use->path && !builder.set_text(use->values.front())) return {};
  }
  for (const FlagUse* use : given) {
    if (!use->path) continue;
    const std::string& value = use->values.front();
    builder.set_path(*use->path, use->append ? list_text(value) : value);
  }
  return builder.text();
}

}  // namespace sx::argparse
