// Getting a part of a file from a web server: an interface with the real one (libcurl, opened at
// run time) and whatever a test makes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sx {

struct HttpRequest {
  std::string url;             // http:// or https://
  std::string bearer;          // token for the server of `url` alone; empty: none
  std::optional<Bytes> front;  // only so many bytes from the beginning
  Bytes limit = mib(64);       // a longer body is an error; one that was cut at `front` is none
};

struct HttpAnswer {
  int status = 0;              // 200, 206, 404 …
  std::string body;            // at most `front` bytes of it where that was asked
  std::optional<Bytes> total;  // length of the whole file, where the server told
  std::string content_type;    // "application/json"
  std::string error_code;      // X-Error-Code of the hubs: "GatedRepo"
  std::optional<int> retry_after_seconds;
};

class Http {
 public:
  virtual ~Http() = default;
  // One GET with its redirects. Errors: no connection, time-outs, too long, a redirect that leads
  // nowhere. An answer with any status is an answer. May be called from several threads at once.
  virtual Result<HttpAnswer> get(const HttpRequest& request) const = 0;
};

// Error::Kind::Absent when libcurl is not there. Time: 5 s to connect, 30 s for an answer.
Result<std::unique_ptr<Http>> open_http();

struct HttpPost {
  std::string url;                   // http:// or https://
  std::string body;                  // JSON
  std::vector<std::string> headers;  // further lines: "name: value"
  std::chrono::milliseconds limit{10'000};
  std::function<bool()> give_up = {};  // asked some times a second; empty: never
};

// Sends to one server again and again, over one connection. For one thread at a time.
class HttpSender {
 public:
  virtual ~HttpSender() = default;
  // At most 64 KiB of the answer. No redirect is followed: what is sent is for that server alone.
  virtual Result<HttpAnswer> post(const HttpPost& request) = 0;
};
// Absent when libcurl is not there; `wanted_by` is the flag that needs it.
Result<std::unique_ptr<HttpSender>> open_http_sender(std::string_view wanted_by);

}  // namespace sx
