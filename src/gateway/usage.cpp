// Nothing is parsed: a name with a number behind it is looked for.
#include "gateway/usage.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sx {
namespace {

constexpr std::string_view kUsage = "\"usage\"";
constexpr std::uint64_t kMostTokens = 1'000'000'000;  // more is no count of one request

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) ++at;
  return at;
}

std::optional<std::uint64_t> number_of(std::string_view object, std::string_view name) {
  const std::size_t found = object.find(name);
  if (found == std::string_view::npos) return std::nullopt;
  std::size_t at = behind_blanks(object, found + name.size());
  if (at >= object.size() || object[at] != ':') return std::nullopt;
  at = behind_blanks(object, at + 1);
  std::uint64_t number = 0;
  const auto read = std::from_chars(object.data() + at, object.data() + object.size(), number);
  // A number that ends with the text may have been cut.
  const bool whole = read.ec == std::errc() && read.ptr != object.data() + object.size();
  if (!whole || number > kMostTokens) return std::nullopt;
  return number;
}

std::string_view without_end(std::string_view events) {
  while (!events.empty() && (events.back() == '\n' || events.back() == '\r'))
    events.remove_suffix(1);
  return events;
}

}  // namespace

TokenUsage usage_in(std::string_view piece) {
  if (piece.size() > kAnswerEnd) piece.remove_prefix(piece.size() - kAnswerEnd);
  std::size_t at = piece.rfind(kUsage);
  if (at == std::string_view::npos) return {};
  at = behind_blanks(piece, at + kUsage.size());
  if (at >= piece.size() || piece[at] != ':') return {};
  at = behind_blanks(piece, at + 1);
  if (at >= piece.size() || piece[at] != '{') return {};
  const std::string_view object = piece.substr(at);
  TokenUsage usage{.prompt = number_of(object, "\"prompt_tokens\""),
                   .answer = number_of(object, "\"completion_tokens\"")};
  if (!usage.prompt) usage.prompt = number_of(object, "\"input_tokens\"");
  if (!usage.answer) usage.answer = number_of(object, "\"output_tokens\"");
  return usage;
}

TokenUsage usage_in_events(std::string_view events, Surface surface) {
  // Anthropic's events have it in the first one and in the last but one.
  if (surface == Surface::Anthropic) return usage_in(events);
  constexpr std::string_view kDone = "data: [DONE]";
  events = without_end(events);
  if (events.ends_with(kDone)) {
    events.remove_suffix(kDone.size());
    events = without_end(events);
  }
  // An event with a piece of the answer ends with the list of choices; one with the usage does not.
  return events.ends_with("}}") ? usage_in(events) : TokenUsage{};
}

void merge(TokenUsage& into, const TokenUsage& more) {
  if (more.prompt) into.prompt = more.prompt;
  if (more.answer) into.answer = more.answer;
}

std::uint32_t count_events(std::string_view events) {
  std::uint32_t count = 0;
  bool carries = false;  // the event that the lines belong to
  while (!events.empty()) {
    const void* end = std::memchr(events.data(), '\n', events.size());
    const std::size_t size =
        end == nullptr ? events.size()
                       : static_cast<std::size_t>(static_cast<const char*>(end) - events.data());
    const bool blank = size == 0 || (size == 1 && events.front() == '\r');
    if (blank) {
      count += carries ? 1 : 0;
      carries = false;
    } else if (events.front() != ':' && !events.starts_with("data: [DONE]")) {
      carries = true;
    }
    if (end == nullptr) break;
    events.remove_prefix(size + 1);
  }
  return count;
}

void AnswerTail::add(std::string_view piece) {
  if (piece.size() >= bytes_.size()) {
    std::memcpy(bytes_.data(), piece.data() + (piece.size() - bytes_.size()), bytes_.size());
    size_ = bytes_.size();
    return;
  }
  const std::size_t kept = std::min(size_, bytes_.size() - piece.size());
  std::memmove(bytes_.data(), bytes_.data() + (size_ - kept), kept);
  std::memcpy(bytes_.data() + kept, piece.data(), piece.size());
  size_ = kept + piece.size();
}

}  // namespace sx
