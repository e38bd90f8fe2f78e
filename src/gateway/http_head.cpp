// What a head means, and what two programs could read differently: refused.
#include "gateway/http_head.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/strings.h"
#include "gateway/head_lines.h"

namespace sx {
namespace {

constexpr std::uint64_t kMostLength = std::uint64_t{1} << 62U;

bool digit(char c) { return c >= '0' && c <= '9'; }

// "HTTP/1.1" or "HTTP/1.0": whether it is the older one.
std::expected<bool, HeadFault> old_version(std::string_view word) {
  const bool some = word.size() == 8 && word.starts_with("HTTP/") && digit(word[5]) &&
                    word[6] == '.' && digit(word[7]);
  if (!some) return std::unexpected(HeadFault::NotHttp);
  if (word[5] != '1' || word[7] > '1') return std::unexpected(HeadFault::OtherVersion);
  return word[7] == '0';
}

bool visible(char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; }

// method SP target SP version
std::expected<RequestHead, HeadFault> read_request_line(std::string_view line) {
  const std::size_t one = line.find(' ');
  const std::size_t two = one == std::string_view::npos ? one : line.find(' ', one + 1);
  if (two == std::string_view::npos) return std::unexpected(HeadFault::NotHttp);
  RequestHead head{.method = line.substr(0, one), .target = line.substr(one + 1, two - one - 1)};
  const bool plain =
      is_token(head.method) && !head.target.empty() && std::ranges::all_of(head.target, visible);
  if (!plain) return std::unexpected(HeadFault::NotHttp);
  const auto old = old_version(line.substr(two + 1));
  if (!old) return std::unexpected(old.error());
  head.old = *old;
  return head;
}

// version SP three digits SP words
std::expected<ResponseHead, HeadFault> read_status_line(std::string_view line) {
  const auto old = old_version(line.substr(0, 8));
  if (!old) return std::unexpected(old.error());
  const bool plain = line.size() >= 13 && line[8] == ' ' && digit(line[9]) && digit(line[10]) &&
                     digit(line[11]) && line[12] == ' ';
  if (!plain) return std::unexpected(HeadFault::NotHttp);
  ResponseHead head{.reason = line.substr(13), .old = *old};
  std::from_chars(line.data() + 9, line.data() + 12, head.status);
  if (head.status < 100 || head.status > 599) return std::unexpected(HeadFault::NotHttp);
  return head;
}

// What the fields say about the message itself.
struct Framing {
  std::optional<std::uint64_t> length;
  bool chunked = false;
  int hosts = 0;
  bool close = false, keep_alive = false, upgrade = false;  // words of Connection
  std::string_view expect, type;
};

std::optional<std::uint64_t> length_of(std::string_view digits) {
  std::uint64_t length = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, length);
  if (read.ec != std::errc() || read.ptr != end || length > kMostLength) return std::nullopt;
  return length;
}

std::optional<HeadFault> add_length(Framing& framing, std::string_view value) {
  if (framing.length) return HeadFault::TwoLengths;
  if (framing.chunked) return HeadFault::LengthAndChunks;
  framing.length = length_of(value);
  return framing.length ? std::nullopt : std::optional(HeadFault::BadLength);
}

std::optional<HeadFault> add_encoding(Framing& framing, std::string_view value, bool old) {
  if (framing.length) return HeadFault::LengthAndChunks;
  if (framing.chunked || old || !same_name(value, "chunked")) return HeadFault::BadEncoding;
  framing.chunked = true;
  return std::nullopt;
}

// A list in several fields is one list, and any of them may name any field.
std::optional<HeadFault> add_connection(Framing& framing, std::string_view words,
                                        std::vector<HeadField>& fields) {
  if (!is_token_list(words)) return HeadFault::NotHttp;
  framing.close = framing.close || lists(words, "close");
  framing.keep_alive = framing.keep_alive || lists(words, "keep-alive");
  framing.upgrade = framing.upgrade || lists(words, "upgrade");
  for (HeadField& field : fields) field.hop = field.hop || lists(words, field.name);
  return std::nullopt;
}

std::optional<HeadFault> add_field(Framing& framing, const HeadField& field,
                                   std::vector<HeadField>& fields, bool old) {
  using enum HeadName;
  if (field.known == Other) return std::nullopt;
  if (field.known == ContentLength) return add_length(framing, field.value);
  if (field.known == TransferEncoding) return add_encoding(framing, field.value, old);
  if (field.known == Connection) return add_connection(framing, field.value, fields);
  if (field.known == ProxyConnection && !is_token_list(field.value)) return HeadFault::NotHttp;
  if (field.known == Host) ++framing.hosts;
  const auto keep_first = [&](HeadName name, std::string_view& place) {
    if (field.known == name && place.empty()) place = field.value;
  };
  keep_first(Expect, framing.expect);
  keep_first(ContentType, framing.type);
  return std::nullopt;
}

std::expected<Framing, HeadFault> framing_of(std::vector<HeadField>& fields, bool old) {
  Framing framing;
  for (const HeadField& field : fields) {
    if (const auto fault = add_field(framing, field, fields, old)) return std::unexpected(*fault);
  }
  return framing;
}

bool stays_open(const Framing& framing, bool old) {
  return !framing.close && (!old || framing.keep_alive);
}

}  // namespace

HeadEnd find_head_end(std::string_view bytes, std::size_t from) {
  HeadEnd found{.from = from};
  while (true) {
    const std::size_t at = bytes.find('\n', found.from);
    if (at == std::string_view::npos) return found;
    if (at == 0 || bytes[at - 1] != '\r') {
      found.bare = true;
      return found;
    }
    const bool empty = at == found.from + 1;
    found.from = at + 1;
    if (empty) {
      found.end = at + 1;
      return found;
    }
  }
}

std::expected<RequestHead, HeadFault> read_request_head(std::string_view bytes,
                                                        std::vector<HeadField> room) {
  auto lines = read_head_lines(bytes, std::move(room));
  if (!lines) return std::unexpected(lines.error());
  auto head = read_request_line(lines->start);
  if (!head) return head;
  head->fields = std::move(lines->fields);
  const auto framing = framing_of(head->fields, head->old);
  if (!framing) return std::unexpected(framing.error());
  if (framing->hosts > 1 || (framing->hosts == 0 && !head->old))
    return std::unexpected(HeadFault::BadHost);
  if (framing->chunked) head->body = BodyKind::Chunked;
  if (framing->length && *framing->length > 0) {
    head->body = BodyKind::Sized;
    head->body_bytes = *framing->length;
  }
  head->keep_alive = stays_open(*framing, head->old);
  head->expects_continue = same_name(framing->expect, "100-continue");
  // Java's own client offers h2c with every first request, and takes HTTP/1.1 for an answer.
  const bool offers = framing->upgrade && !same_name(field_value(head->fields, "Upgrade"), "h2c");
  head->upgrades = head->method == "CONNECT" || offers;
  return head;
}

std::expected<ResponseHead, HeadFault> read_response_head(std::string_view bytes, bool to_head,
                                                          std::vector<HeadField> room) {
  auto lines = read_head_lines(bytes, std::move(room));
  if (!lines) return std::unexpected(lines.error());
  auto head = read_status_line(lines->start);
  if (!head) return head;
  head->fields = std::move(lines->fields);
  const auto framing = framing_of(head->fields, head->old);
  if (!framing) return std::unexpected(framing.error());
  head->keep_alive = stays_open(*framing, head->old);
  const std::string_view type = framing->type;
  head->events = same_name(trimmed(type.substr(0, type.find(';'))), "text/event-stream");
  const bool empty = to_head || head->status < 200 || head->status == 204 || head->status == 304;
  if (empty) return head;
  if (framing->chunked) {
    head->body = BodyKind::Chunked;
  } else if (framing->length) {
    head->body = *framing->length == 0 ? BodyKind::None : BodyKind::Sized;
    head->body_bytes = *framing->length;
  } else {
    head->body = BodyKind::UntilClose;
    head->keep_alive = false;
  }
  return head;
}

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const char small = static_cast<char>(a[i] | 32);
    if ((a[i] ^ b[i]) != 32 || small < 'a' || small > 'z') return false;
  }
  return true;
}

std::string_view field_value(const std::vector<HeadField>& fields, std::string_view name) {
  for (const HeadField& field : fields) {
    if (same_name(field.name, name)) return field.value;
  }
  return {};
}

std::string_view field_value(const std::vector<HeadField>& fields, HeadName name) {
  for (const HeadField& field : fields) {
    if (field.known == name) return field.value;
  }
  return {};
}

bool of_this_connection(const HeadField& field) {
  return field.hop || field.known >= kFirstOfConnection;
}

}  // namespace sx
