// The front of a conversation within its body: what stands before the first turn of the user, and
// that turn.
#include <algorithm>
#include <array>
#include <optional>

#include "gateway/affinity.h"
#include "gateway/body_keys.h"
#include "gateway/json_cursor.h"

namespace sx {
namespace {

// Of each of the two: enough to tell conversations apart. Those that differ only behind it (one
// long document, many questions) share what is worth sharing.
constexpr std::size_t kMostOfPart = 2048;
// Shorter instructions are computed anew faster than it is worth to look for them.
constexpr std::size_t kWorthSharing = 1024;
constexpr int kMostTurns = 16;  // before the first one of the user: there is one, sometimes two

struct Head {
  std::string_view before, question;
};

// The value of a key of an object; empty: there is none.
std::string_view value_of(std::string_view object, std::string_view quoted_key) {
  JsonCursor cursor(object);
  if (!cursor.take('{')) return {};
  while (true) {
    cursor.spaces();
    if (cursor.end() || cursor.here() != '"') return {};
    const std::string_view key = cursor.string();
    if (key.empty() || !cursor.take(':')) return {};
    const std::string_view value = cursor.value();
    if (key == quoted_key || value.empty()) return value;
    if (!cursor.take(',')) return {};
  }
}

// The text of a turn, without what clients put beside it and move from turn to turn (marks for
// caches, ids).
std::string_view text_of(std::string_view turn) {
  const std::string_view content = value_of(turn, "\"content\"");
  JsonCursor parts(content);
  if (!parts.take('[')) return content;
  parts.spaces();
  const std::string_view first = parts.value();
  const std::string_view text = value_of(first, "\"text\"");
  return text.empty() ? first : text;
}

// The front of a turn's text where the turn is the user's and says so first, as clients write it: a
// long prompt has been walked over once by then, and need not be again. Nothing: look at it all.
std::optional<std::string_view> front_of_users_text(std::string_view turn) {
  constexpr std::size_t kKeysBefore = 512;
  JsonCursor cursor(turn.substr(0, kKeysBefore + kMostOfPart));
  if (!cursor.take('{')) return {};
  bool users = false;
  while (true) {
    cursor.spaces();
    if (cursor.end() || cursor.here() != '"' || cursor.at() > kKeysBefore) return {};
    const std::string_view key = cursor.string();
    if (key.empty() || !cursor.take(':')) return {};
    cursor.spaces();
    const std::size_t at = cursor.at();
    if (key == "\"content\"") {
      if (!users || cursor.end() || cursor.here() != '"' || at > kKeysBefore) return {};
      const std::string_view whole = cursor.string();
      return whole.empty() ? turn.substr(at, kMostOfPart) : whole;
    }
    const std::string_view value = cursor.value();
    if (key == "\"role\"") {
      if (value != "\"user\"") return {};
      users = true;
    }
    if (value.empty() || !cursor.take(',')) return {};
  }
}

Head head_of_turns(std::string_view turns) {
  JsonCursor cursor(turns);
  if (!cursor.take('[')) return {.before = {}, .question = turns};  // text
  const std::size_t begin = cursor.at();
  for (int i = 0; i < kMostTurns; ++i) {
    cursor.spaces();
    const std::size_t at = cursor.at();
    const std::string_view before = turns.substr(begin, at - begin);
    if (const auto text = front_of_users_text(turns.substr(at)))
      return {.before = before, .question = *text};
    const std::string_view turn = cursor.value();
    if (turn.empty()) break;
    if (value_of(turn, "\"role\"") == "\"user\"")
      return {.before = before, .question = text_of(turn)};
    if (!cursor.take(',')) break;
  }
  return {.before = turns.substr(begin, cursor.at() - begin), .question = {}};
}

}  // namespace

ConversationKey conversation_key(std::string_view body, const BodyKeys& keys, Surface surface) {
  const bool responses = surface == Surface::Responses;
  const BodyPart turns = responses ? keys.input : keys.messages;
  if (turns.size == 0 && keys.prompt.size == 0) return {};
  const Head head = turns.size > 0 ? head_of_turns(turns.of(body))
                                   : Head{.before = {}, .question = keys.prompt.of(body)};
  const std::string_view above = (responses ? keys.instructions : keys.system).of(body);
  std::uint64_t key = 0;
  std::size_t room = kMostOfPart;
  for (const std::string_view part : std::array{above, head.before}) {
    key = hash_bytes(part.substr(0, room), key);
    room -= std::min(room, part.size());
  }
  const std::uint64_t whole = hash_bytes(head.question.substr(0, kMostOfPart), key);
  const bool shared = above.size() + head.before.size() >= kWorthSharing;
  return {.whole = whole == 0 ? 1 : whole, .order = shared ? key : whole};
}

std::string_view answer_id(std::string_view front) {
  constexpr std::string_view kId = "\"id\"";
  constexpr std::size_t kMostId = 256;
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t at = front.find(kId);
  if (at == std::string_view::npos) return {};
  at = front.find_first_not_of(kBlanks, at + kId.size());
  if (at == std::string_view::npos || front[at] != ':') return {};
  at = front.find_first_not_of(kBlanks, at + 1);
  if (at == std::string_view::npos || front[at] != '"') return {};
  const std::size_t end = front.find('"', at + 1);
  if (end == std::string_view::npos || end - at > kMostId) return {};
  return front.substr(at + 1, end - at - 1);
}

}  // namespace sx
