// yaml-cpp says what stands where; this file builds the tree from its events, follows aliases
// within limits, and finds where each value ends, which yaml-cpp does not say.
#include "read/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include "base/utf8.h"
#include "read/yaml_faults.h"
#include "read/yaml_scalar.h"

namespace sx {
namespace {

constexpr std::size_t kTextLimit = std::size_t{8} << 20U;
constexpr int kDepthLimit = 64;
constexpr std::size_t kNodeLimit = 200'000;
// Aliases repeat long scalars as well as many nodes.
constexpr std::size_t kExpandedLimit = std::size_t{64} << 20U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Size {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
  int height = 1;
};

// A node while it is built.
struct Open {
  YamlNode node;
  Size size;
  YAML::anchor_t anchor = 0;
  bool has_key = false;
  std::string key;
  Span key_span;
  std::vector<YamlNode> merged;  // values of `<<`, in order
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Past the anchor and the tag that may stand in front of a value.
std::size_t past_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    while (at < text.size() && !is_blank(text[at])) ++at;
    while (at < text.size() && is_blank(text[at])) ++at;
  }
  return at;
}

// Where a scalar ends whose value is known: lines are folded and indented, so blanks on either side
// do not count.
std::size_t scalar_end(std::string_view text, std::size_t begin, std::string_view value) {
  if (begin >= text.size()) return text.size();
  const char first = text[begin];
  if (first == '\'' || first == '"') {
    for (std::size_t at = begin + 1; at < text.size(); ++at) {
      if (first == '"' && text[at] == '\\') {
        ++at;
      } else if (text[at] == first) {
        if (first == '"' || at + 1 >= text.size() || text[at + 1] != '\'') return at + 1;
        ++at;
      }
    }
    return text.size();
  }
  std::size_t at = begin;
  if (first == '|' || first == '>') {
    while (at < text.size() && text[at] != '\n') ++at;
  }
  std::size_t end = at;
  for (const char c : value) {
    if (is_blank(c)) continue;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at >= text.size() || text[at] != c) return end;
    end = ++at;
  }
  return end;
}

// Where a flow collection ends: at the bracket behind its last child.
std::size_t bracket_end(std::string_view text, std::size_t at, char bracket) {
  while (at < text.size()) {
    const char c = text[at];
    if (c == bracket) return at + 1;
    if (c == '#') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (!is_blank(c) && c != ',' && c != ':') {
      return at;
    } else {
      ++at;
    }
  }
  return at;
}

Both at_line(const Both& what, const YAML::Mark& mark) {
  const std::string line = std::to_string(mark.line + 1);
  return {what.english + " (line " + line + ")", what.chinese + "（第 " + line + " 行）"};
}

class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, int source) : text_(text), source_(source) {
    offset_ = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  }

  std::vector<YamlNode> documents;
  Both failure;  // empty: all is well
  Error::Kind failure_kind = Error::Kind::Damaged;

  // Text that belongs nowhere ("]" by itself) makes yaml-cpp hand out empty documents for ever, all
  // of one place.
  void OnDocumentStart(const YAML::Mark& mark) override {
    anchors_.clear();
    if (mark.pos == document_at_)
      fail_with({"there is text that belongs to nothing", "有不属于任何内容的文本"}, mark);
    document_at_ = mark.pos;
    if (!failed()) count({1, 0, 1}, mark);
  }
  void OnDocumentEnd() override {
    if (failed()) return;
    if (!root_seen_) documents.emplace_back();
    root_seen_ = false;
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (failed() || !count({1, 0, 1}, mark)) return;
    YamlNode node;
    const std::size_t at =
        stack_.empty() || !stack_.back().has_key ? place(mark) : stack_.back().key_span.end;
    node.span = {source_, at, at};
    finish(std::move(node), Size{}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (failed()) return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      return fail_with({"an alias stands inside what it names", "别名位于它所指的内容之内"}, mark);
    const Anchored& named = found->second;
    // Counted before anything is copied.
    if (!count(named.size, mark)) return;
    if (depth() + named.size.height > kDepthLimit)
      return fail_with({"it is nested too deeply", "嵌套过深"}, mark, Error::Kind::TooLarge);
    YamlNode copy = named.node;
    const std::size_t begin = place(mark);
    std::size_t end = begin;
    while (end < text_.size() && !is_blank(text_[end]) &&
           std::string_view(",]}").find(text_[end]) == std::string_view::npos)
      ++end;
    copy.span = {source_, begin, end};
    attach(std::move(copy), named.size);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (failed() || !count({1, value.size(), 1}, mark)) return;
    YamlNode node;
    node.kind = YamlNode::Kind::Scalar;
    node.text = value;
    const std::size_t begin = past_properties(text_, place(mark));
    node.span = {source_, begin, scalar_end(text_, begin, value)};
    const char first = begin < text_.size() ? text_[begin] : ' ';
    node.quoted = tag == "!" && (first == '\'' || first == '"' || first == '|' || first == '>');
    node.type = type_of(tag, value);
    finish(std::move(node), Size{1, value.size(), 1}, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::List, mark, anchor);
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Map, mark, anchor);
  }
  void OnMapEnd() override { close('}'); }

 private:
  struct Anchored {
    YamlNode node;
    Size size;
  };

  bool failed() const { return !failure.empty(); }
  int depth() const { return static_cast<int>(stack_.size()); }

  std::size_t place(const YAML::Mark& mark) const {
    const std::size_t at = (mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos)) + offset_;
    return std::min(at, text_.size());
  }

  void fail_with(const Both& why, const YAML::Mark& mark, Error::Kind kind = Error::Kind::Damaged) {
    failure = at_line(why, mark);
    failure_kind = kind;
  }

  bool count(const Size& size, const YAML::Mark& mark) {
    nodes_ += size.nodes;
    bytes_ += size.bytes;
    if (nodes_ <= kNodeLimit && bytes_ <= kExpandedLimit) return true;
    fail_with({"it holds too many values once aliases are followed", "展开别名后的值过多"}, mark,
              Error::Kind::TooLarge);
    return false;
  }

  static YamlNode::Type type_of(const std::string& tag, const std::string& value) {
    if (tag == "?" || tag.empty()) return yaml_type(value);
    const YamlNode::Type plain = yaml_type(value);
    if (tag == "tag:yaml.org,2002:int" && plain == YamlNode::Type::Integer) return plain;
    if (tag == "tag:yaml.org,2002:bool" && plain == YamlNode::Type::Bool) return plain;
    if (tag == "tag:yaml.org,2002:null") return YamlNode::Type::Null;
    if (tag == "tag:yaml.org,2002:float" &&
        (plain == YamlNode::Type::Integer || plain == YamlNode::Type::Number)) {
      return YamlNode::Type::Number;
    }
    return YamlNode::Type::String;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (failed() || !count({1, 0, 1}, mark)) return;
    if (depth() >= kDepthLimit)
      return fail_with({"it is nested too deeply", "嵌套过深"}, mark, Error::Kind::TooLarge);
    Open opened;
    opened.node.kind = kind;
    const std::size_t begin = past_properties(text_, place(mark));
    opened.node.span = {source_, begin, begin};
    opened.anchor = anchor;
    stack_.push_back(std::move(opened));
  }

  void close(char bracket) {
    if (failed() || stack_.empty()) return;
    Open closed = std::move(stack_.back());
    stack_.pop_back();
    YamlNode& node = closed.node;
    const std::size_t begin = node.span.begin;
    std::size_t end = std::max(node.span.end, begin);
    const char opening = bracket == ']' ? '[' : '{';
    if (begin < text_.size() && text_[begin] == opening)
      end = bracket_end(text_, std::max(end, begin + 1), bracket);
    node.span.end = end;
    if (node.kind == YamlNode::Kind::Map) settle(closed);
    finish(std::move(node), closed.size, closed.anchor);
  }

  // Merged members come first and give way to the map's own; of a key given twice the last value
  // counts.
  static void settle(Open& map) {
    std::vector<YamlMember> all;
    std::unordered_map<std::string, std::size_t> at;
    const auto put = [&](YamlMember member, bool replace) {
      const auto [found, fresh] = at.try_emplace(member.key, all.size());
      if (fresh) {
        all.push_back(std::move(member));
      } else if (replace) {
        all[found->second] = std::move(member);
      }
    };
    for (YamlNode& merged : map.merged) {
      for (YamlMember& member : merged.members) put(std::move(member), false);
    }
    for (YamlMember& member : map.node.members) put(std::move(member), true);
    map.node.members = std::move(all);
  }

  void finish(YamlNode node, Size size, YAML::anchor_t anchor) {
    if (anchor != 0) {
      // The copy that the anchor keeps counts as well.
      if (!count(size, YAML::Mark::null_mark())) return;
      anchors_[anchor] = {node, size};
    }
    attach(std::move(node), size);
  }

  void attach(YamlNode node, const Size& size) {
    if (stack_.empty()) {
      documents.push_back(std::move(node));
      root_seen_ = true;
      return;
    }
    Open& parent = stack_.back();
    parent.size.nodes += size.nodes;
    parent.size.bytes += size.bytes;
    parent.size.height = std::max(parent.size.height, size.height + 1);
    parent.node.span.end = std::max(parent.node.span.end, node.span.end);
    if (parent.node.kind == YamlNode::Kind::List) {
      parent.node.items.push_back(std::move(node));
      return;
    }
    if (!parent.has_key) return take_key(parent, std::move(node));
    parent.has_key = false;
    node.key_span = parent.key_span;
    if (parent.key == "<<" && merge(parent, node)) return;
    parent.node.members.push_back({std::move(parent.key), std::move(node)});
    parent.key.clear();
  }

  void take_key(Open& parent, YamlNode node) {
    if (node.kind == YamlNode::Kind::List || node.kind == YamlNode::Kind::Map) {
      failure = {"a list or a map stands as a key", "列表或映射被用作键"};
      return;
    }
    parent.has_key = true;
    parent.key = node.kind == YamlNode::Kind::Null ? std::string("null") : std::move(node.text);
    parent.key_span = node.span;
  }

  // A map, or a list of maps of which the first goes before the others.
  static bool merge(Open& parent, YamlNode& value) {
    if (value.kind == YamlNode::Kind::Map) {
      parent.merged.push_back(std::move(value));
      return true;
    }
    const auto is_map = [](const YamlNode& node) { return node.kind == YamlNode::Kind::Map; };
    if (value.kind != YamlNode::Kind::List || !std::ranges::all_of(value.items, is_map))
      return false;
    for (YamlNode& item : value.items) parent.merged.push_back(std::move(item));
    return true;
  }

  std::string_view text_;
  int source_;
  std::size_t offset_ = 0;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  int document_at_ = -1;
  bool root_seen_ = false;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &YamlMember::key);
  return found == members.end() ? nullptr : &found->value;
}

std::optional<bool> YamlNode::boolean() const {
  if (kind != Kind::Scalar || type != Type::Bool) return {};
  return yaml_truth(text);
}

std::optional<long long> YamlNode::integer() const {
  if (kind != Kind::Scalar || type != Type::Integer) return {};
  return yaml_integer(text);
}

std::optional<double> YamlNode::number() const {
  if (kind != Kind::Scalar) return {};
  if (type == Type::Integer || (type == Type::Number && text.find('.') == std::string::npos)) {
    const auto whole = yaml_integer(text);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }
  return type == Type::Number ? yaml_number(text) : std::nullopt;
}

Result<std::vector<YamlNode>> parse_yaml(const Sources& sources, int source) {
  const Source& from = sources.at(source);
  const auto refuse = [&](Error::Kind kind, const Both& why) {
    const std::string name = from.name.empty() ? "the YAML text" : from.name;
    const std::string chinese_name = from.name.empty() ? " YAML 文本" : ' ' + from.name;
    return fail(kind, "cannot read " + name + ": " + why.english,
                "无法读取" + chinese_name + "：" + why.chinese);
  };
  if (from.text.size() > kTextLimit)
    return refuse(Error::Kind::TooLarge, {"it is longer than 8 MiB", "长度超过 8 MiB"});
  if (!is_valid_utf8(from.text))
    return refuse(Error::Kind::Damaged, {"it is not UTF-8", "不是 UTF-8 编码"});
  if (ends_lines_alone(from.text)) return refuse(Error::Kind::Unsupported, lone_return_fault());
  Builder builder(from.text, source);
  try {
    std::istringstream stream(from.text);
    YAML::Parser parser(stream);
    while (builder.failure.empty() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& damaged) {
    const Both why = yaml_fault(damaged.msg);
    return refuse(Error::Kind::Damaged, damaged.mark.is_null() ? why : at_line(why, damaged.mark));
  } catch (const std::exception& other) {
    return refuse(Error::Kind::Damaged, yaml_fault(other.what()));
  }
  if (!builder.failure.empty()) return refuse(builder.failure_kind, builder.failure);
  return std::move(builder.documents);
}

}  // namespace sx
