// Blocking reads and writes with limits.
#include "fake_engine/http.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace fake {
namespace {

constexpr std::size_t kMostHead = 64 << 10;
constexpr std::size_t kMostBody = 16 << 20;

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void read_headers(const std::string& head, HttpRequest& request) {
  for (std::size_t at = head.find("\r\n"); at != std::string::npos;) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string line = head.substr(begin, at == std::string::npos ? at : at - begin);
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    request.headers[lower(line.substr(0, colon))] =
        value == std::string::npos ? "" : line.substr(value);
  }
  request.keep = lower(request.headers["connection"]) != "close";
}

}  // namespace

std::string HttpRequest::member(const std::string& name) const {
  const std::string quoted = '"' + name + '"';
  for (std::size_t at = body.find(quoted); at != std::string::npos;
       at = body.find(quoted, at + 1)) {
    if (at > 0 && body[at - 1] == '\\') continue;
    std::size_t value = body.find_first_not_of(" \t\r\n", at + quoted.size());
    if (value == std::string::npos || body[value] != ':') continue;
    value = body.find_first_not_of(" \t\r\n", value + 1);
    if (value == std::string::npos) return "";
    if (body[value] == '"') {
      const std::size_t end = body.find('"', value + 1);
      return end == std::string::npos ? "" : body.substr(value + 1, end - value - 1);
    }
    return body.substr(value, body.find_first_of(",} \t\r\n", value) - value);
  }
  return "";
}

Connection::~Connection() { ::close(socket_); }

std::optional<HttpRequest> Connection::next() {
  std::array<char, 16384> piece{};
  const auto more = [&] {
    const ssize_t count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count <= 0) return false;
    read_.append(piece.data(), static_cast<std::size_t>(count));
    return true;
  };
  std::size_t end = 0;
  while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
    if (read_.size() > kMostHead || !more()) return std::nullopt;
  }
  HttpRequest request;
  const std::string head = read_.substr(0, end);
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(' ', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  request.method = head.substr(0, first);
  request.path = head.substr(first + 1, second - first - 1);
  request.path.resize(std::min(request.path.find('?'), request.path.size()));
  read_headers(head, request);
  const auto size = static_cast<std::size_t>(
      std::strtoul(request.headers["content-length"].c_str(), nullptr, 10));
  if (size > kMostBody) return std::nullopt;
  while (read_.size() < end + 4 + size) {
    if (!more()) return std::nullopt;
  }
  request.body = read_.substr(end + 4, size);
  read_.erase(0, end + 4 + size);
  return request;
}

bool Connection::send_all(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

bool Connection::answer(int status, const std::string& body, const std::string& more_headers,
                        const std::string& type) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + ' ' + reason(status) + "\r\n";
  text += "content-length: " + std::to_string(body.size()) + "\r\n";
  if (!body.empty()) text += "content-type: " + type + "\r\n";
  return send_all(text + more_headers + "\r\n" + body);
}

bool Connection::begin_stream(const std::string& type) {
  return send_all("HTTP/1.1 200 OK\r\ncontent-type: " + type +
                  "\r\ntransfer-encoding: chunked\r\n\r\n");
}

bool Connection::piece(const std::string& bytes) {
  std::array<char, 32> size{};
  const int count = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return send_all(std::string(size.data(), static_cast<std::size_t>(count)) + bytes + "\r\n");
}

bool Connection::end_stream() { return send_all("0\r\n\r\n"); }

void Connection::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace fake
