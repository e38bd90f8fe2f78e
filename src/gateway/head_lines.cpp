// A line at a time; values are looked at eight bytes at once, because most of a head is values.
#include "gateway/head_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sx {
namespace {

constexpr std::size_t kMostFields = 128;  // HAProxy's limit is 101; browsers send some 20
constexpr std::size_t kUsualFields = 16;  // room for so many at once, not for one after another

constexpr auto kTokenBytes = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool token_byte(char c) { return kTokenBytes[static_cast<unsigned char>(c)]; }

bool control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

bool has_control(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t low = (eight - kOnes * 0x20) & ~eight & kHighs;  // some byte below 0x20
    const std::uint64_t flipped = eight ^ (kOnes * 0x7f);
    const std::uint64_t deleted = (flipped - kOnes) & ~flipped & kHighs;  // some byte is 0x7f
    if ((low | deleted) != 0 && std::ranges::any_of(text.substr(at, 8), control)) return true;
  }
  return std::ranges::any_of(text.substr(at), control);
}

struct KnownName {
  std::string_view name;
  HeadName known;
};
// By length, so that a name is compared with one or two of them.
constexpr std::array kKnownNames{
    KnownName{"TE", HeadName::Te},
    KnownName{"Host", HeadName::Host},
    KnownName{"Expect", HeadName::Expect},
    KnownName{"Trailer", HeadName::Trailer},
    KnownName{"Upgrade", HeadName::Upgrade},
    KnownName{"x-api-key", HeadName::ApiKey},
    KnownName{"Connection", HeadName::Connection},
    KnownName{"Keep-Alive", HeadName::KeepAlive},
    KnownName{"Content-Type", HeadName::ContentType},
    KnownName{"x-request-id", HeadName::RequestId},
    KnownName{"Authorization", HeadName::Authorization},
    KnownName{"Content-Length", HeadName::ContentLength},
    KnownName{"x-sextant-route", HeadName::Route},
    KnownName{"Content-Encoding", HeadName::ContentEncoding},
    KnownName{"Proxy-Connection", HeadName::ProxyConnection},
    KnownName{"Transfer-Encoding", HeadName::TransferEncoding},
    KnownName{"Proxy-Authenticate", HeadName::ProxyAuthenticate},
    KnownName{"Proxy-Authorization", HeadName::ProxyAuthorization},
};
static_assert(std::ranges::is_sorted(kKnownNames, {},
                                     [](const KnownName& one) { return one.name.size(); }));
constexpr std::size_t kLongestKnown = kKnownNames.back().name.size();

// Where the names of each length begin in the table.
constexpr auto kNamesFrom = [] {
  std::array<unsigned char, kLongestKnown + 2> from{};
  for (std::size_t size = 0; size < from.size(); ++size) {
    std::size_t at = 0;
    while (at < kKnownNames.size() && kKnownNames[at].name.size() < size) ++at;
    from[size] = static_cast<unsigned char>(at);
  }
  return from;
}();

HeadName known_name(std::string_view name) {
  if (name.size() > kLongestKnown) return HeadName::Other;
  for (std::size_t at = kNamesFrom[name.size()]; at < kNamesFrom[name.size() + 1]; ++at) {
    if (same_name(kKnownNames[at].name, name)) return kKnownNames[at].known;
  }
  return HeadName::Other;
}

bool blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// name ":" value; no name: it is none.
HeadField field_of(std::string_view line) {
  std::size_t colon = 0;
  while (colon < line.size() && token_byte(line[colon])) ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':') return {};
  HeadField field{.name = line.substr(0, colon), .value = without_blanks(line.substr(colon + 1))};
  if (has_control(field.value)) return {};
  field.known = known_name(field.name);
  return field;
}

// Calls with each part between commas, without the blanks around it, until one is true.
template <class Look>
bool any_part(std::string_view list, Look look) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (look(without_blanks(list.substr(0, comma)))) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_token(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, token_byte);
}

bool lists(std::string_view list, std::string_view word) {
  return any_part(list, [&](std::string_view part) { return same_name(part, word); });
}

bool is_token_list(std::string_view list) {
  return !any_part(list, [](std::string_view part) { return !part.empty() && !is_token(part); });
}

// A field's bytes are followed by those of the line's end, which are read here.
void FieldCopy::add(const HeadField& field) {
  const char* after_name = field.name.data() + field.name.size();
  const char* after_value = field.value.data() + field.value.size();
  const bool as_ours =
      field.value.data() == after_name + 2 && after_name[1] == ' ' && after_value[0] == '\r';
  if (!as_ours || field.name.data() != end_) end();
  if (!as_ours) {
    out_.append(field.name).append(": ").append(field.value).append("\r\n");
    return;
  }
  if (begin_ == nullptr) begin_ = field.name.data();
  end_ = after_value + 2;
}

void FieldCopy::end() {
  if (begin_ != nullptr) out_.append(begin_, static_cast<std::size_t>(end_ - begin_));
  begin_ = end_ = nullptr;
}

std::expected<HeadLines, HeadFault> read_head_lines(std::string_view bytes,
                                                    std::vector<HeadField> room) {
  HeadLines lines{.start = {}, .fields = std::move(room)};
  lines.fields.clear();
  lines.fields.reserve(kUsualFields);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t feed = bytes.find('\n', at);
    if (feed == std::string_view::npos) return std::unexpected(HeadFault::NotHttp);
    if (feed == at || bytes[feed - 1] != '\r') return std::unexpected(HeadFault::BareLineFeed);
    const std::string_view line = bytes.substr(at, feed - 1 - at);
    const bool first = at == 0;
    at = feed + 1;
    if (line.empty()) {
      if (first || at != bytes.size()) return std::unexpected(HeadFault::NotHttp);
      return lines;
    }
    if (first) {
      if (has_control(line)) return std::unexpected(HeadFault::NotHttp);
      lines.start = line;
      continue;
    }
    if (blank(line.front())) return std::unexpected(HeadFault::FoldedLine);
    if (lines.fields.size() == kMostFields) return std::unexpected(HeadFault::TooManyFields);
    lines.fields.push_back(field_of(line));
    if (lines.fields.back().name.empty()) return std::unexpected(HeadFault::NotHttp);
  }
  return std::unexpected(HeadFault::NotHttp);
}

}  // namespace sx
