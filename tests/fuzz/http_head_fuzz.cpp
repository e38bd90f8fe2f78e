// Any bytes as a request's and as an answer's head: what our reader takes, Beast's own message
// parser takes too, with the same end of the body; and no two fields that frame a body pass.
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/decide.h"
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
  for (const auto& field : fields) found += sx::same_name(field.name, name) ? 1 : 0;
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto end = sx::find_head_end(all, 0);
  SX_ASSERT(end.end <= size && end.from <= size);
  if (end.end == 0) return 0;
  const std::string_view bytes = all.substr(0, end.end);
  if (const auto head = sx::read_request_head(bytes)) {
    check_fields(head->fields);
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
    if (head->body != sx::BodyKind::None)
      same_for_beast<false>(bytes, head->body == sx::BodyKind::Chunked, head->body_bytes);
  }
  return 0;
}
