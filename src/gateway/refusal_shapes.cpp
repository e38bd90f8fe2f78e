// How a refusal is told: by the type that each API has for it, as a body or as the last event of a
// stream.
#include <boost/json.hpp>

#include "gateway/refusals.h"

namespace sx {
namespace {

namespace json = boost::json;

std::string_view type_of(const Refusal& refusal, Surface surface) {
  const bool theirs = refusal.status < 500;
  if (surface == Surface::Anthropic)
    return !theirs                 ? refusal.status == 503 ? "overloaded_error" : "api_error"
           : refusal.status == 404 ? "not_found_error"
           : refusal.status == 403 ? "permission_error"
           : refusal.status == 401 ? "authentication_error"
           : refusal.status == 429 ? "rate_limit_error"
           : refusal.status == 413 ? "request_too_large"
                                   : "invalid_request_error";
  return !theirs                 ? "server_error"
         : refusal.status == 404 ? "not_found_error"
         : refusal.status == 403 ? "permission_error"
         : refusal.status == 429 ? "rate_limit_error"
                                 : "invalid_request_error";
}

json::object error_object(const Refusal& refusal, Surface surface) {
  const Both words = in_both(refusal.message);
  json::object error{{"message", words.english}, {"message_zh", words.chinese}};
  const std::string_view type = type_of(refusal, surface);
  error["type"] = json::string(type.data(), type.size());
  error["code"] = json::string(refusal.code.data(), refusal.code.size());
  if (surface != Surface::Anthropic) error["param"] = nullptr;
  return error;
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

std::string error_body(const Refusal& refusal, Surface surface) {
  json::object whole;
  if (surface == Surface::Anthropic) whole["type"] = "error";
  whole["error"] = error_object(refusal, surface);
  return json::serialize(whole) + '\n';
}

std::string error_event(const Refusal& refusal, Surface surface) {
  json::object error = error_object(refusal, surface);
  if (surface == Surface::Responses) {
    error["type"] = "error";  // the event's own name there
    return "event: error\ndata: " + json::serialize(error) + "\n\n";
  }
  if (surface == Surface::Anthropic)
    return "event: error\ndata: " +
           json::serialize(json::object{{"type", "error"}, {"error", std::move(error)}}) + "\n\n";
  return "data: " + json::serialize(json::object{{"error", std::move(error)}}) +
         "\n\ndata: [DONE]\n\n";
}

}  // namespace sx
