// The head of a request or of an answer, as strictly as two programs must agree on where a message
// ends: what some accept and others read differently is refused here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

namespace sx {

// Those that a relay must know; from kFirstOfConnection on, those about one connection alone.
enum class HeadName : unsigned char {
  Other,
  Host,
  Expect,
  Authorization,
  ApiKey,     // x-api-key
  RequestId,  // x-request-id
  ContentType,
  ContentLength,
  ContentEncoding,
  Route,  // x-sextant-route
  Connection,
  KeepAlive,
  ProxyConnection,
  ProxyAuthorization,
  ProxyAuthenticate,
  Te,
  Trailer,
  TransferEncoding,
  Upgrade
};
inline constexpr HeadName kFirstOfConnection = HeadName::Connection;
constexpr bool is_key(HeadName name) {
  return name == HeadName::Authorization || name == HeadName::ApiKey;
}

struct HeadField {
  std::string_view name, value;
  HeadName known = HeadName::Other;
  bool hop = false;  // a `Connection` of its head names it
};

// What is wrong with it. Each has words of its own in refusals.cpp.
enum class HeadFault {
  BareLineFeed,     // a line that ends without a carriage return
  FoldedLine,       // a field that goes on in the next line
  NotHttp,          // a start line or field that is none
  TwoLengths,       // Content-Length more than once
  LengthAndChunks,  // Content-Length beside Transfer-Encoding
  BadLength,        // no plain number, or too large for one
  BadEncoding,      // a Transfer-Encoding other than chunked, or one in HTTP/1.0
  BadHost,          // HTTP/1.1 needs exactly one
  OtherVersion,     // neither HTTP/1.0 nor 1.1
  TooManyFields,
  TooLong,
};

// Where the head ends that begins the bytes.
struct HeadEnd {
  std::size_t end = 0;   // behind its empty line; 0: not there yet
  std::size_t from = 0;  // to be handed in again when more has come
  bool bare = false;     // a bare line feed stands in it
};
HeadEnd find_head_end(std::string_view bytes, std::size_t from);

enum class BodyKind { None, Sized, Chunked, UntilClose };

// Names and values are views into the bytes that were read.
struct RequestHead {
  std::string_view method, target;
  std::vector<HeadField> fields;
  BodyKind body = BodyKind::None;
  std::uint64_t body_bytes = 0;
  bool old = false;  // HTTP/1.0
  bool keep_alive = false;
  bool expects_continue = false;
  bool upgrades = false;
};
// `room`: fields of an earlier head, whose memory is used again.
std::expected<RequestHead, HeadFault> read_request_head(std::string_view bytes,
                                                        std::vector<HeadField> room = {});

struct ResponseHead {
  int status = 0;
  std::string_view reason;
  std::vector<HeadField> fields;
  BodyKind body = BodyKind::None;
  std::uint64_t body_bytes = 0;
  bool old = false;  // HTTP/1.0
  bool keep_alive = false;
  bool events = false;  // text/event-stream
};
// `to_head`: the request was a HEAD, so no body follows whatever the fields say.
std::expected<ResponseHead, HeadFault> read_response_head(std::string_view bytes, bool to_head,
                                                          std::vector<HeadField> room = {});

// The first value of that name, in any case; empty: there is none.
std::string_view field_value(const std::vector<HeadField>& fields, std::string_view name);
std::string_view field_value(const std::vector<HeadField>& fields, HeadName name);
bool same_name(std::string_view a, std::string_view b);

// Whether a field is about this connection alone and so never goes on to the next one: those above
// and those that `Connection` names.
bool of_this_connection(const HeadField& field);

}  // namespace sx
