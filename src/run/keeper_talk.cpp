// Lines over a local socket. A client that does not read its answer loses it, not the keeper's
// time.
#include "run/keeper_talk.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>

#include "run/json_fields.h"
#include "sys/local_socket.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostLine = 4096;
constexpr std::int64_t kMostGrace = 24 * 3600;
constexpr std::int64_t kMostTail = std::int64_t{1} << 20U;
constexpr std::chrono::milliseconds kAnswerTime{1000};       // a keeper is never busy for longer
constexpr std::size_t kMostAnswer = std::size_t{16} << 20U;  // a tail, each byte of it escaped

// Time that is left of one exchange, however many pieces it comes in.
class Deadline {
 public:
  int left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    return static_cast<int>(std::max<long>(left.count(), 0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point until_ = Clock::now() + kAnswerTime;
};

// All of it, or false. A peer that reads too slowly is waited for a second, no longer.
bool send_all(int to, std::string_view bytes) {
  const Deadline deadline;
  while (!bytes.empty()) {
    const ssize_t count = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd waiting{to, POLLOUT, 0};
    if (::poll(&waiting, 1, deadline.left()) <= 0) return false;
  }
  return true;
}

}  // namespace

std::string request_line(const KeeperRequest& request) {
  using Does = KeeperRequest::Does;
  json::object object;
  object["do"] = request.does == Does::Stop   ? "stop"
                 : request.does == Does::Tail ? "tail"
                                              : "status";
  if (request.does == Does::Stop) object["grace_s"] = request.grace.count();
  if (request.does == Does::Tail) object["bytes"] = request.bytes;
  return json::serialize(object) + '\n';
}

Result<KeeperRequest> read_request(std::string_view line) {
  constexpr std::string_view kWhat = "the request";
  SX_TRY(const auto object, json_object(line, kWhat));
  JsonFields fields(object, kWhat);
  const std::string word = fields.text("do");
  KeeperRequest request;
  if (word == "stop") {
    request.does = KeeperRequest::Does::Stop;
    request.grace = std::chrono::seconds(fields.number("grace_s", 0, kMostGrace));
  } else if (word == "tail") {
    request.does = KeeperRequest::Does::Tail;
    request.bytes = static_cast<std::size_t>(fields.number("bytes", 1, kMostTail));
  } else if (word != "status") {
    fields.wrong("do");
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return request;
}

std::optional<KeeperRequest> KeeperClient::next_request() {
  while (true) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      const auto request = read_request(std::string_view(heard_).substr(0, end));
      heard_.erase(0, end + 1);
      if (request) return *request;
      gone_ = true;  // it does not speak our language
      return std::nullopt;
    }
    std::array<char, 1024> piece{};
    const ssize_t count = ::recv(peer_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return std::nullopt;
    if (count <= 0 || heard_.size() > kMostLine) {
      gone_ = true;
      return std::nullopt;
    }
    heard_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

void KeeperClient::answer(const KeeperRequest& request, const KeeperRecord& record,
                          const EngineLog& log) {
  json::object object{{"ok", true}};
  if (request.does == KeeperRequest::Does::Status) {
    object["record"] = json::parse(record_json(record));
    object["taken"] = log.taken();
    object["lost"] = log.lost();
  }
  if (request.does == KeeperRequest::Does::Tail) object["text"] = log.tail(request.bytes);
  if (!send_all(peer_.get(), json::serialize(object) + '\n')) gone_ = true;
}

Result<std::string> ask_keeper(const std::string& socket, const KeeperRequest& request) {
  SX_TRY(const UniqueFd peer, connect_local(socket));
  std::string answer;
  if (send_all(peer.get(), request_line(request))) {
    const Deadline deadline;
    std::array<char, 16384> piece{};
    while (answer.size() < kMostAnswer && !answer.ends_with('\n')) {
      pollfd waiting{peer.get(), POLLIN, 0};
      if (::poll(&waiting, 1, deadline.left()) <= 0) break;
      const ssize_t count = ::recv(peer.get(), piece.data(), piece.size(), 0);
      if (count <= 0) break;
      answer.append(piece.data(), static_cast<std::size_t>(count));
    }
  }
  const std::size_t end = answer.find('\n');
  if (end == std::string::npos)
    return fail(Error::Kind::TimedOut, "the keeper at " + socket + " does not answer",
                socket + " 处的看护进程没有应答");
  answer.resize(end);
  return answer;
}

}  // namespace sx
