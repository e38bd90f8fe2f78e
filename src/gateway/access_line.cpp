// Written by hand: a line costs a few hundred nanoseconds, and every request has one.
#include "gateway/access_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 200;  // of a word that a client chose

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

// `before` is the name with all that stands around it, as it is written.
void number(std::string& out, std::string_view before, std::uint64_t value) {
  out += before;
  append_number(out, value);
}

// Milliseconds with one decimal.
void time(std::string& out, std::string_view before, GatewayClock::duration value) {
  using std::chrono::microseconds;
  const auto spent = std::max(microseconds{0}, std::chrono::duration_cast<microseconds>(value));
  const auto tenths = static_cast<std::uint64_t>(spent.count() / 100);
  number(out, before, tenths / 10);
  out += '.';
  out += static_cast<char>('0' + tenths % 10);
}

bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; }

// Eight bytes at once.
bool all_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto none = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t outside = eight | (eight - kOnes * ' ') | none(eight ^ kOnes * '\x7f');
    const std::uint64_t marks = none(eight ^ kOnes * '"') | none(eight ^ kOnes * '\\');
    if (((outside & kHighs) | marks) != 0) return false;
  }
  return std::ranges::all_of(text.substr(at), is_plain);
}

void text(std::string& out, std::string_view before, std::string_view value) {
  if (value.empty()) return;
  out += before;
  const std::string_view shown = value.substr(0, kMostShown);
  if (all_plain(shown)) {
    out += shown;
  } else {
    for (const char c : valid_utf8(shown)) {
      if (is_plain(c) || static_cast<unsigned char>(c) >= 0x80)
        out += c;
      else
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  out += '"';
}

}  // namespace

void AccessLines::add(std::string& out, const AccessEntry& entry, const WallClock& wall,
                      GatewayClock::time_point now) {
  const RequestRecord& record = entry.record;
  const std::int64_t came = std::max<std::int64_t>(0, wall.at(record.began).count());
  if (came / 1000 != second_) {
    second_ = came / 1000;
    const std::time_t seconds = second_;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    text_ = fmt::format("{{\"time\":\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  }
  out += text_;
  for (const std::int64_t digit : {came / 100 % 10, came / 10 % 10, came % 10})
    out += static_cast<char>('0' + digit);
  out += "Z\"";
  text(out, R"(,"id":")", entry.id);
  text(out, R"(,"key":")", entry.key);
  text(out, R"(,"method":")", entry.method);
  // What stands behind the path may be a secret.
  text(out, R"(,"path":")", entry.target.substr(0, entry.target.find('?')));
  text(out, R"(,"model":")", entry.model);
  if (record.replica >= 0)
    number(out, R"(,"replica":)", static_cast<std::uint64_t>(record.replica));
  text(out, R"(,"why":")", record.why);
  number(out, R"(,"status":)", static_cast<std::uint64_t>(std::max(0, record.status)));
  number(out, R"(,"bytes_in":)", record.bytes_in);
  number(out, R"(,"bytes_out":)", record.bytes_out);
  if (record.waited.count() > 0)
    number(out, R"(,"queue_ms":)", static_cast<std::uint64_t>(record.waited.count()));
  if (record.first > record.began) time(out, R"(,"ttft_ms":)", record.first - record.began);
  time(out, R"(,"total_ms":)", now - record.began);
  if (record.stream) number(out, R"(,"events":)", record.events);
  if (record.usage.prompt) number(out, R"(,"prompt_tokens":)", *record.usage.prompt);
  if (record.usage.answer) number(out, R"(,"completion_tokens":)", *record.usage.answer);
  if (record.retries > 0) number(out, R"(,"retries":)", record.retries);
  text(out, R"(,"cause":")", record.cause);
  out += "}\n";
}

}  // namespace sx
