// The daemon's own surface: HTTP with JSON over a socket that only this user can reach. The command
// line and the dashboard use it, nothing else does. Paths: docs/API.md.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

struct ApiRequest {
  std::string method;  // "GET", "POST"
  std::string path;    // "/v1/status"
  std::string query;   // what follows '?'
  std::string body;
  pid_t peer = 0;  // the process that asks; 0: not known
};

struct ApiReply {
  int status = 200;
  std::string json;
};

class ApiServer {
 public:
  using Answer = std::function<ApiReply(const ApiRequest&)>;
  // `listener`: from listen_local().
  ApiServer(boost::asio::io_context& loop, UniqueFd listener, Answer answer);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

 private:
  struct Inside;
  std::shared_ptr<Inside> inside_;
};

ApiReply api_error(int status, std::string_view name, const Both& words);

}  // namespace sx
