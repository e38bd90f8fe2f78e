// JSON that remembers where each value stood, and takes what Python writes: NaN, Infinity, a
// byte-order mark, huge numbers; comments and trailing commas are taken and reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace sx {

enum class JsonKind : std::uint8_t { Null, Bool, Number, String, Array, Object };

// At most 1000 a document: a file that is wrong everywhere is wrong enough.
struct JsonNote {
  enum class Kind { Comment, TrailingComma, DuplicateKey, NotUtf8, NotFinite };
  Kind kind;
  std::size_t begin;
  std::size_t end;
};

// Where and why Python's json module refuses a text; the place is the byte it stops at, or the last
// one before the text ends.
struct JsonFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  Both what;  // without line and column
};

class JsonValue;

// One parsed text; owns a copy of nothing: `text` must outlive it, and it must stay where it is
// while values of it are in use. Nodes are flat; parsing is iterative.
class JsonDocument {
 public:
  // Limits: depth 200, 64 MiB of text, 8 million nodes or fewer where the caller says so. The error
  // says line and column.
  static constexpr std::size_t kMostNodes = 8'000'000;
  static Result<JsonDocument> parse(std::string_view text, std::size_t most_nodes = kMostNodes);

  // What engines see: they read with Python, which takes no comments, trailing commas, byte-order
  // mark or bytes that are no UTF-8. Nothing: it reads the text, or the text is beyond our limits.
  static std::optional<JsonFault> refused_by_python(std::string_view text);

  JsonValue root() const;
  const std::vector<JsonNote>& notes() const { return notes_; }

 private:
  // Of a text that parse() refuses for what it is.
  static std::optional<JsonFault> fault_of(std::string_view text);
  friend class JsonValue;
  friend class JsonParser;
  struct Node {
    JsonKind kind = JsonKind::Null;
    std::uint32_t begin = 0, end = 0;  // bytes of the value, quotes included
    std::uint32_t key_begin = 0,
                  key_end = 0;  // bytes of the member's key, quotes included; equal: no key
    std::uint32_t next = 0;     // sibling; 0: none
    std::uint32_t count = 0;    // children; the first one is the next node
  };
  std::string_view text_;
  std::vector<Node> nodes_;
  std::vector<JsonNote> notes_;
};

// A value in a document; cheap to copy. An absent value answers every question with "nothing".
class JsonValue {
 public:
  JsonValue() = default;

  explicit operator bool() const { return document_ != nullptr; }
  JsonKind kind() const;  // of an absent value: Null
  bool is(JsonKind kind) const { return document_ != nullptr && this->kind() == kind; }

  JsonValue operator[](
      std::string_view key) const;          // of an object; the last one wins, as in Python
  std::size_t size() const;                 // elements or members
  std::vector<JsonValue> elements() const;  // of an array; of an object its values
  // The same without a list: for (auto v = list.first(); v; v = v.next()).
  JsonValue first() const;
  JsonValue next() const;
  std::string key() const;           // of a member, unescaped
  std::string_view raw_key() const;  // of a member: the bytes between its quotes

  // Numbers: nothing for what is not finite or too large.
  std::optional<std::int64_t> integer() const;  // whole numbers that fit, also "1e3" and "4.0"
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<std::string> string() const;  // unescaped; bad UTF-8 kept as it is
  std::string_view raw() const;               // the bytes

  // Where it stands: the value, and `"key": value` of a member.
  Span span(int source) const;
  Span member_span(int source) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}
  const JsonDocument::Node& node() const { return document_->nodes_[node_]; }
  const JsonDocument* document_ = nullptr;
  std::uint32_t node_ = 0;
};

}  // namespace sx
