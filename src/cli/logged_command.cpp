// Python's own writing of a dict or of keyword arguments, as far as settings need it: strings,
// numbers, True, False, None, and what is nested as JSON.
#include "cli/logged_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace sx {
namespace {

constexpr int kDeepest = 20;
constexpr std::size_t kMostSettings = 400;

struct Written {
  enum class Kind { None, True, False, Text, Other };
  Kind kind = Kind::None;
  std::string text;  // of a text: itself; else as JSON
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // {'a': 1, 'b': 'c'} with `between` a colon, (a=1, b='c') with an equals sign.
  std::vector<std::pair<std::string, Written>> settings(char close, char between) {
    std::vector<std::pair<std::string, Written>> all;
    while (all.size() < kMostSettings && !at_end()) {
      blanks();
      if (peek() == close) break;
      std::string name = key();
      blanks();
      if (name.empty() || !skip(between)) return {};
      blanks();
      auto value = this->value(0);
      if (!value) break;  // cut off, or a kind that is no setting
      all.emplace_back(std::move(name), std::move(*value));
      blanks();
      if (!skip(',')) break;
    }
    return all;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void blanks() {
    while (peek() == ' ') ++at_;
  }

  std::string key() {
    if (peek() == '\'' || peek() == '"') return quoted().value_or("");
    const std::size_t begin = at_;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::optional<std::string> quoted() {
    const char quote = peek();
    ++at_;
    std::string out;
    while (!at_end()) {
      const char c = text_[at_++];
      if (c == quote) return out;
      if (c != '\\' || at_end()) {
        out += c;
        continue;
      }
      const char escaped = text_[at_++];
      out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    return {};
  }

  static std::string as_json(const Written& value) {
    if (value.kind == Written::Kind::Text)
      return '"' + replaced(replaced(value.text, "\\", "\\\\"), "\"", "\\\"") + '"';
    return value.text;
  }

  std::optional<Written> value(int depth) {
    if (depth > kDeepest || at_end()) return {};
    const char c = peek();
    if (c == '\'' || c == '"') {
      auto text = quoted();
      if (!text) return {};
      return Written{Written::Kind::Text, std::move(*text)};
    }
    if (c == '{') return nested('{', '}', depth);
    if (c == '[') return nested('[', ']', depth);
    if (c == '(') return nested('(', ')', depth);
    const std::size_t begin = at_;
    while (!at_end() && std::string_view(",)}] (").find(peek()) == std::string_view::npos) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty() || peek() == '(') return {};  // an object of some class
    if (word == "None") return Written{Written::Kind::None, "null"};
    if (word == "True") return Written{Written::Kind::True, "true"};
    if (word == "False") return Written{Written::Kind::False, "false"};
    return Written{Written::Kind::Other, std::string(word)};
  }

  std::optional<Written> nested(char open, char close, int depth) {
    skip(open);
    std::string json(1, open == '{' ? '{' : '[');
    bool first = true;
    while (true) {
      blanks();
      if (skip(close)) break;
      if (!first && !skip(',')) return {};
      blanks();
      if (skip(close)) break;
      auto item = value(depth + 1);
      if (!item) return {};
      if (!first) json += ", ";
      first = false;
      json += as_json(*item);
      if (open != '{') continue;
      blanks();
      if (!skip(':')) return {};
      blanks();
      auto inner = value(depth + 1);
      if (!inner) return {};
      json += ": " + as_json(*inner);
    }
    json += open == '{' ? '}' : ']';
    return Written{Written::Kind::Other, std::move(json)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

using Settings = std::vector<std::pair<std::string, Written>>;

// Of dumps that hold every setting, those that people give and that decide whether it starts.
constexpr std::array<std::string_view, 24> kTelling{"tensor_parallel_size",
                                                    "pipeline_parallel_size",
                                                    "data_parallel_size",
                                                    "gpu_memory_utilization",
                                                    "max_model_len",
                                                    "max_num_seqs",
                                                    "max_num_batched_tokens",
                                                    "quantization",
                                                    "kv_cache_dtype",
                                                    "dtype",
                                                    "enforce_eager",
                                                    "trust_remote_code",
                                                    "tp_size",
                                                    "dp_size",
                                                    "pp_size",
                                                    "ep_size",
                                                    "mem_fraction_static",
                                                    "context_length",
                                                    "max_running_requests",
                                                    "cuda_graph_max_bs",
                                                    "attention_backend",
                                                    "speculative_algorithm",
                                                    "enable_dp_attention",
                                                    "disable_cuda_graph"};

void add_flag(std::vector<std::string>& words, const std::string& name, const Written& value) {
  const std::string flag = "--" + replaced(name, "_", "-");
  switch (value.kind) {
    case Written::Kind::None:
      return;
    case Written::Kind::True:
      words.push_back(flag);
      return;
    case Written::Kind::False:
      words.push_back("--no-" + replaced(name, "_", "-"));
      return;
    case Written::Kind::Text:
    case Written::Kind::Other:
      if (value.text.empty()) return;
      words.push_back(flag);
      words.push_back(value.text);
  }
}

std::vector<std::string> command_of(const Settings& settings, bool whole, bool sglang) {
  std::string model;
  std::vector<std::string> flags;
  for (const auto& [name, value] : settings) {
    if (name == "model" || name == "model_tag" || name == "model_path") {
      if (value.kind == Written::Kind::Text) model = value.text;
      continue;
    }
    if (name == "api_server_count" || name == "api_key") continue;  // masked, or derived
    const bool telling = std::ranges::find(kTelling, name) != kTelling.end();
    if (!whole && (!telling || value.kind == Written::Kind::False)) continue;
    add_flag(flags, name, value);
  }
  if (model.empty()) return {};
  std::vector<std::string> words =
      sglang
          ? std::vector<std::string>{"python", "-m", "sglang.launch_server", "--model-path", model}
          : std::vector<std::string>{"vllm", "serve", model};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

std::optional<std::string_view> behind(std::string_view text, std::string_view front) {
  const std::size_t at = text.find(front);
  if (at == std::string_view::npos) return {};
  return text.substr(at + front.size());
}

}  // namespace

std::vector<std::string> logged_command(const RunLog& run) {
  if (const auto rest = behind(run.arguments, "non-default args: {"))
    return command_of(Reader(*rest).settings('}', ':'), true, false);
  if (const auto rest = behind(run.arguments, "args: Namespace("))
    return command_of(Reader(*rest).settings(')', '='), false, false);
  for (const std::string_view front : {"server_args=ServerArgs(", "server_args=("}) {
    if (const auto rest = behind(run.arguments, front))
      return command_of(Reader(*rest).settings(')', '='), false, true);
  }
  return {};
}

}  // namespace sx
