// One connection: reading requests, writing answers and streams. Bounded.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace fake {

struct HttpRequest {
  std::string method, path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool keep = true;  // the client wants the connection again

  // A member of the JSON body that is no string inside another one; empty: not there. Enough for
  // what clients send, no more.
  std::string member(const std::string& name) const;
};

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::optional<HttpRequest> next();
  bool answer(int status, const std::string& body, const std::string& more_headers = "",
              const std::string& type = "application/json");
  bool begin_stream(const std::string& type);
  bool piece(const std::string& bytes);  // a chunk of the stream
  bool end_stream();
  void reset();  // RST instead of a proper end

 private:
  bool send_all(const std::string& bytes);

  int socket_;
  std::string read_;
};

}  // namespace fake
