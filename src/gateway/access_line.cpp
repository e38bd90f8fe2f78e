// Written by hand: a line costs a few hundred nanoseconds, and every request has one.
#include "gateway/access_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 200;  // of a word that a client chose

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

void number(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(",\"").append(name).append("\":");
  append_number(out, value);
}

// Milliseconds with one decimal.
void time(std::string& out, std::string_view name, GatewayClock::duration value) {
  using std::chrono::microseconds;
  const auto spent = std::max(microseconds{0}, std::chrono::duration_cast<microseconds>(value));
  const auto tenths = static_cast<std::uint64_t>(spent.count() / 100);
  number(out, name, tenths / 10);
  out += '.';
  out += static_cast<char>('0' + tenths % 10);
}

bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; }

void text(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.append(",\"").append(name).append("\":\"");
  const std::string_view shown = value.substr(0, kMostShown);
  if (std::ranges::all_of(shown, is_plain)) {
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
  text(out, "id", entry.id);
  text(out, "key", entry.key);
  text(out, "method", entry.method);
  // What stands behind the path may be a secret.
  text(out, "path", entry.target.substr(0, entry.target.find('?')));
  text(out, "model", entry.model);
  if (record.replica >= 0) number(out, "replica", static_cast<std::uint64_t>(record.replica));
  text(out, "why", record.why);
  number(out, "status", static_cast<std::uint64_t>(std::max(0, record.status)));
  number(out, "bytes_in", record.bytes_in);
  number(out, "bytes_out", record.bytes_out);
  if (record.waited.count() > 0)
    number(out, "queue_ms", static_cast<std::uint64_t>(record.waited.count()));
  if (record.first > record.began) time(out, "ttft_ms", record.first - record.began);
  time(out, "total_ms", now - record.began);
  if (record.stream) number(out, "events", record.events);
  if (record.usage.prompt) number(out, "prompt_tokens", *record.usage.prompt);
  if (record.usage.answer) number(out, "completion_tokens", *record.usage.answer);
  if (record.retries > 0) number(out, "retries", record.retries);
  text(out, "cause", record.cause);
  out += "}\n";
}

}  // namespace sx
