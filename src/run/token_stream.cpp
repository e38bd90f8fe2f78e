// Looks for the few keys that matter before it parses anything: a client that measures has no time.
#include "run/token_stream.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostLine = std::size_t{1} << 20U;  // of one event; a token has a few hundred
constexpr std::size_t kMostWords = 200;
constexpr int kMostTokens = 1 << 30;

// A key with a text behind it that is not empty.
bool has_text(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    std::string_view behind = line.substr(at + key.size());
    while (behind.starts_with(' ')) behind.remove_prefix(1);
    if (behind.size() >= 2 && behind[0] == '"' && behind[1] != '"') return true;
  }
  return false;
}

std::optional<int> count_at(const json::value& value, std::string_view pointer) {
  json::error_code error;
  const auto* found = value.find_pointer({pointer.data(), pointer.size()}, error);
  if (error || found == nullptr || !found->is_number()) return std::nullopt;
  const auto number = found->to_number<std::int64_t>(error);
  if (error || number < 0 || number > kMostTokens) return std::nullopt;
  return static_cast<int>(number);
}

}  // namespace

int TokenStream::feed(std::string_view bytes) {
  int texts = 0;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > kMostLine) {
      too_long_ = true;
      rest_.clear();
    } else if (!too_long_) {
      rest_ += piece;
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (!too_long_ && take(rest_)) ++texts;
    too_long_ = false;
    rest_.clear();
  }
  return texts;
}

bool TokenStream::take(std::string_view line) {
  constexpr std::string_view kData = "data:";
  if (!line.starts_with(kData)) return false;
  line.remove_prefix(kData.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line == "[DONE]") {
    done_ = true;
    return false;
  }
  if (line.starts_with("{\"error\"")) {
    error_ = std::string(line.substr(0, kMostWords));
    return false;
  }
  constexpr std::string_view kUsage = "\"usage\":";
  const std::size_t usage = line.find(kUsage);
  if (usage != std::string_view::npos && !line.substr(usage + kUsage.size()).starts_with("null")) {
    json::error_code error;
    const json::value event = json::parse(line, error);
    if (!error) {
      prompt_tokens_ = count_at(event, "/usage/prompt_tokens").value_or(prompt_tokens_);
      output_tokens_ = count_at(event, "/usage/completion_tokens").value_or(output_tokens_);
    }
  }
  constexpr std::array<std::string_view, 4> kTexts{
      "\"content\":", "\"text\":", "\"reasoning_content\":", "\"reasoning\":"};
  return std::ranges::any_of(kTexts, [&](std::string_view key) { return has_text(line, key); });
}

}  // namespace sx
