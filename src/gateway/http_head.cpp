// Beast reads the grammar; what it tolerates and what a relay must settle stands here.
#include "gateway/http_head.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <charconv>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

constexpr std::size_t kMostFields = 128;  // HAProxy's limit is 101; browsers send some 20
constexpr std::uint64_t kMostLength = std::uint64_t{1} << 62U;

std::string_view own(beast::string_view text) { return {text.data(), text.size()}; }

// Keeps views into the bytes and copies nothing. Beast folds lines into a buffer of its own; such
// heads are refused before it sees them.
template <bool is_request>
class Collector final : public http::basic_parser<is_request> {
 public:
  std::string_view method, target, reason;
  int status = 0, version = 0;
  std::vector<HeadField> fields;

 private:
  void on_request_impl(http::verb, beast::string_view name, beast::string_view path, int number,
                       error_code&) override {
    method = own(name);
    target = own(path);
    version = number;
  }
  void on_response_impl(int code, beast::string_view words, int number, error_code&) override {
    status = code;
    reason = own(words);
    version = number;
  }
  void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                     error_code& error) override {
    fields.push_back({own(name), own(value)});
    if (fields.size() > kMostFields) error = http::error::header_limit;
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
};

std::optional<HeadFault> line_fault(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\0') return HeadFault::NotHttp;
    if (c == '\r' && (at + 1 == bytes.size() || bytes[at + 1] != '\n')) return HeadFault::NotHttp;
    if (c != '\n') continue;
    if (at == 0 || bytes[at - 1] != '\r') return HeadFault::BareLineFeed;
    if (at + 1 < bytes.size() && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t'))
      return HeadFault::FoldedLine;
  }
  return std::nullopt;
}

struct Framing {
  std::optional<std::uint64_t> length;
  bool chunked = false;
};

std::expected<Framing, HeadFault> framing_of(const std::vector<HeadField>& fields, bool old) {
  Framing framing;
  bool encoded = false;
  for (const HeadField& field : fields) {
    if (same_name(field.name, "Content-Length")) {
      if (framing.length) return std::unexpected(HeadFault::TwoLengths);
      std::uint64_t length = 0;
      const char* end = field.value.data() + field.value.size();
      const auto read = std::from_chars(field.value.data(), end, length);
      if (read.ec != std::errc() || read.ptr != end || length > kMostLength)
        return std::unexpected(HeadFault::BadLength);
      framing.length = length;
    } else if (same_name(field.name, "Transfer-Encoding")) {
      if (encoded || old || !same_name(field.value, "chunked"))
        return std::unexpected(HeadFault::BadEncoding);
      encoded = framing.chunked = true;
    }
  }
  if (framing.length && encoded) return std::unexpected(HeadFault::LengthAndChunks);
  return framing;
}

// Whether a list such as that of `Connection` has the word.
bool lists(std::string_view list, std::string_view word) {
  return std::ranges::any_of(split(list, ','),
                             [&](std::string_view one) { return same_name(trimmed(one), word); });
}

bool stays_open(const std::vector<HeadField>& fields, bool old) {
  const std::string_view connection = field_value(fields, "Connection");
  return old ? lists(connection, "keep-alive") : !lists(connection, "close");
}

template <bool is_request>
std::optional<HeadFault> collect(std::string_view bytes, Collector<is_request>& into) {
  if (const auto fault = line_fault(bytes)) return fault;
  into.header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size() + 1, 1U << 30U)));
  into.body_limit(boost::none);
  error_code error;
  into.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (into.fields.size() > kMostFields) return HeadFault::TooManyFields;
  if (into.is_header_done()) return std::nullopt;
  if (error == http::error::bad_version) return HeadFault::OtherVersion;
  if (error == http::error::bad_content_length) return HeadFault::BadLength;
  if (error == http::error::multiple_content_length) return HeadFault::TwoLengths;
  if (error == http::error::bad_transfer_encoding) return HeadFault::BadEncoding;
  return HeadFault::NotHttp;
}

// Beast stops at a field that does not go with an earlier one; ours are the more exact words.
HeadFault exact_fault(const std::vector<HeadField>& before, HeadFault seen) {
  const bool length = !field_value(before, "Content-Length").empty();
  const bool encoding = !field_value(before, "Transfer-Encoding").empty();
  if (seen == HeadFault::BadLength && length) return HeadFault::TwoLengths;
  if (seen == HeadFault::BadLength && encoding) return HeadFault::LengthAndChunks;
  if (seen == HeadFault::BadEncoding && length) return HeadFault::LengthAndChunks;
  return seen;
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

std::expected<RequestHead, HeadFault> read_request_head(std::string_view bytes) {
  Collector<true> read;
  if (const auto fault = collect(bytes, read))
    return std::unexpected(exact_fault(read.fields, *fault));
  if (read.version != 10 && read.version != 11) return std::unexpected(HeadFault::OtherVersion);
  RequestHead head{.method = read.method, .target = read.target, .fields = std::move(read.fields)};
  head.old = read.version == 10;
  const auto framing = framing_of(head.fields, head.old);
  if (!framing) return std::unexpected(framing.error());
  const auto hosts = std::ranges::count_if(
      head.fields, [](const HeadField& field) { return same_name(field.name, "Host"); });
  if (hosts > 1 || (hosts == 0 && !head.old)) return std::unexpected(HeadFault::BadHost);
  if (framing->chunked) head.body = BodyKind::Chunked;
  if (framing->length && *framing->length > 0) {
    head.body = BodyKind::Sized;
    head.body_bytes = *framing->length;
  }
  head.keep_alive = stays_open(head.fields, head.old);
  head.expects_continue = same_name(field_value(head.fields, "Expect"), "100-continue");
  head.upgrades =
      head.method == "CONNECT" || lists(field_value(head.fields, "Connection"), "upgrade");
  return head;
}

std::expected<ResponseHead, HeadFault> read_response_head(std::string_view bytes, bool to_head) {
  Collector<false> read;
  if (const auto fault = collect(bytes, read))
    return std::unexpected(exact_fault(read.fields, *fault));
  if (read.version != 10 && read.version != 11) return std::unexpected(HeadFault::OtherVersion);
  if (read.status < 100 || read.status > 599) return std::unexpected(HeadFault::NotHttp);
  const bool old = read.version == 10;
  ResponseHead head{.status = read.status, .reason = read.reason, .fields = std::move(read.fields)};
  const auto framing = framing_of(head.fields, old);
  if (!framing) return std::unexpected(framing.error());
  head.keep_alive = stays_open(head.fields, old);
  const std::string_view type = field_value(head.fields, "Content-Type");
  head.events = same_name(trimmed(type.substr(0, type.find(';'))), "text/event-stream");
  const bool empty = to_head || head.status < 200 || head.status == 204 || head.status == 304;
  if (empty) return head;
  if (framing->chunked) {
    head.body = BodyKind::Chunked;
  } else if (framing->length) {
    head.body = *framing->length == 0 ? BodyKind::None : BodyKind::Sized;
    head.body_bytes = *framing->length;
  } else {
    head.body = BodyKind::UntilClose;
    head.keep_alive = false;
  }
  return head;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
  return std::ranges::equal(a, b, {}, small, small);
}

std::string_view field_value(const std::vector<HeadField>& fields, std::string_view name) {
  const auto found = std::ranges::find_if(
      fields, [&](const HeadField& field) { return same_name(field.name, name); });
  return found == fields.end() ? std::string_view() : found->value;
}

bool of_this_connection(std::string_view name, std::string_view connection) {
  constexpr std::array<std::string_view, 9> kFixed{"Connection",
                                                   "Keep-Alive",
                                                   "Proxy-Connection",
                                                   "Proxy-Authorization",
                                                   "Proxy-Authenticate",
                                                   "TE",
                                                   "Trailer",
                                                   "Transfer-Encoding",
                                                   "Upgrade"};
  const auto same = [&](std::string_view other) { return same_name(name, other); };
  return std::ranges::any_of(kFixed, same) || lists(connection, name);
}

}  // namespace sx
