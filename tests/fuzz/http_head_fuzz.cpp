// Any bytes as a request's and as an answer's head: what our reader takes, Beast's own message
// parser takes too, with the same end of the body; no two fields that frame a body pass; and the
// fields that a relay copies into a head of its own read back as they were.
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "gateway/affinity.h"
#include "gateway/decide.h"
#include "gateway/head_lines.h"
#include "gateway/http_head.h"

namespace {

namespace http = boost::beast::http;

template <bool is_request>
void same_for_beast(std::string_view bytes, bool chunked, std::uint64_t length) {
  http::parser<is_request, http::empty_body> beast;
  beast.header_limit(1U << 30U);
  beast.body_limit(boost::none);
  boost::system::error_code error;
  beast.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  SX_ASSERT(beast.is_header_done());
  SX_ASSERT(beast.chunked() == chunked);
  if (length > 0) SX_ASSERT(beast.content_length().value_or(0) == length);
}

std::size_t count(const std::vector<sx::HeadField>& fields, std::string_view name) {
  std::size_t found = 0;
  for (const auto& field : fields) found += sx::same_name(field.name, name) ? 1U : 0U;
  return found;
}

void check_fields(const std::vector<sx::HeadField>& fields) {
  SX_ASSERT(count(fields, "Content-Length") + count(fields, "Transfer-Encoding") <= 1);
  for (const auto& field : fields) {
    SX_ASSERT(!field.name.empty());
    SX_ASSERT(field.name.find_first_of(std::string_view(" :\r\n\0", 5)) == std::string_view::npos);
    SX_ASSERT(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  }
}

// The bits say which fields go on: a run of them may end and begin at any one.
void check_copy(const std::vector<sx::HeadField>& fields, std::uint64_t bits) {
  std::string out = "FIRST LINE\r\n";
  std::vector<sx::HeadField> copied;
  sx::FieldCopy copy(out);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if ((bits >> (i % 64) & 1U) == 0 || sx::of_this_connection(fields[i])) continue;
    copy.add(fields[i]);
    copied.push_back(fields[i]);
  }
  copy.end();
  out += "\r\n";
  const auto again = sx::read_head_lines(out, {});
  SX_ASSERT(again && again->start == "FIRST LINE" && again->fields.size() == copied.size());
  for (std::size_t i = 0; i < copied.size(); ++i) {
    SX_ASSERT(again->fields[i].name == copied[i].name);
    SX_ASSERT(again->fields[i].value == copied[i].value);
    SX_ASSERT(again->fields[i].known == copied[i].known);
  }
}

// All of them, and two halves that take turns in no order.
void check_copies(const std::vector<sx::HeadField>& fields, std::string_view bytes) {
  const std::uint64_t bits = sx::hash_bytes(bytes);
  for (const std::uint64_t some : {~std::uint64_t{0}, bits, ~bits}) check_copy(fields, some);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto end = sx::find_head_end(all, 0);
  SX_ASSERT(end.end <= size && end.from <= size);
  if (end.end == 0) return 0;
  const std::string_view bytes = all.substr(0, end.end);
  if (const auto head = sx::read_request_head(bytes)) {
    check_fields(head->fields);
    check_copies(head->fields, bytes);
    SX_ASSERT(!head->method.empty() && !head->target.empty());
    same_for_beast<true>(bytes, head->body == sx::BodyKind::Chunked, head->body_bytes);
    const auto fate = sx::fate_of(*head);
    if (fate.kind == sx::RequestFate::Kind::Refused) {
      SX_ASSERT(fate.refusal.status >= 400);
      SX_ASSERT(!sx::error_body(fate.refusal, sx::Surface::OpenAi).empty());
    }
  }
  if (const auto head = sx::read_response_head(bytes, false)) {
    check_fields(head->fields);
    check_copies(head->fields, bytes);
    if (head->body != sx::BodyKind::None)
      same_for_beast<false>(bytes, head->body == sx::BodyKind::Chunked, head->body_bytes);
  }
  return 0;
}
