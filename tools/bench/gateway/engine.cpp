// An engine that costs next to nothing: answers at once, or sends a stream of events at a steady
// pace, each with the time it was made at. One thread, several ports, as several replicas.
#include <csignal>
#include <cstring>
#include <queue>
#include <unordered_map>
#include <vector>

#include "rig.h"

namespace {

struct Pace {
  long events = 64, first_us = 5000, every_us = 20000;
  bool stamp_in_text = false;  // for proxies that leave out fields they do not know
};

struct Connection {
  int fd = -1;
  std::string in, out;
  std::uint64_t stream = 0;  // number of the stream that runs on it; 0: none
  long left = 0;             // events
  bool waits_to_write = false;
};

struct Due {
  std::uint64_t at = 0;
  int fd = -1;
  std::uint64_t stream = 0;
  bool operator<(const Due& other) const { return at > other.at; }
};

constexpr char kModels[] = "{\"object\":\"list\",\"data\":[{\"id\":\"mock-model\",\"object\":\"model\"}]}";
constexpr char kAnswer[] =
    "{\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion\",\"created\":1700000000,"
    "\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
    "\"content\":"
    "\"hello world hello world hello world hello world\"},\"finish_reason\":\"stop\"}],\"usage\":"
    "{\"prompt_tokens\":10,\"completion_tokens\":16,\"total_tokens\":26}}";
constexpr char kStreamHead[] =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: "
    "chunked\r\n\r\n";
constexpr std::size_t kMostQueued = std::size_t{4} << 20U;  // of a client that does not read

class Engine {
 public:
  Engine(Pace pace, int ports) : pace_(pace) {
    for (int i = 0; i < ports; ++i) listen_somewhere();
    std::printf("\n");
    std::fflush(stdout);
  }

  [[noreturn]] void run() {
    static epoll_event events[1024];
    while (true) {
      const std::uint64_t now = rig::now_ns();
      std::uint64_t wait = 1'000'000'000U;
      if (!due_.empty()) wait = due_.top().at > now ? due_.top().at - now : 0;
      const int count = poll_.wait(events, wait);
      for (int i = 0; i < count; ++i) serve(events[i].data.fd, events[i].events);
      send_what_is_due();
    }
  }

 private:
  void listen_somewhere() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address = rig::loopback(0);
    socklen_t size = sizeof address;
    if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      rig::give_up("listen");
    listeners_.push_back(fd);
    poll_.add(fd, EPOLLIN);
    std::printf("%d ", ntohs(address.sin_port));
  }

  void serve(int fd, std::uint32_t events) {
    for (const int listener : listeners_) {
      if (fd == listener) return accept_all(listener);
    }
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    Connection& one = found->second;
    if ((events & EPOLLOUT) != 0) flush(one);
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
    if (read_all(one)) return answer(one);
    close(fd);
    connections_.erase(found);
  }

  void accept_all(int listener) {
    while (true) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      rig::no_delay(fd);
      connections_[fd].fd = fd;
      poll_.add(fd, EPOLLIN);
    }
  }

  // False: the other side has gone.
  bool read_all(Connection& one) {
    static char buffer[65536];
    while (true) {
      const ssize_t count = read(one.fd, buffer, sizeof buffer);
      if (count > 0) one.in.append(buffer, static_cast<std::size_t>(count));
      if (count == static_cast<ssize_t>(sizeof buffer)) continue;
      return count > 0 || (count < 0 && errno == EAGAIN);
    }
  }

  void flush(Connection& one) {
    const ssize_t count = write(one.fd, one.out.data(), one.out.size());
    if (count > 0) one.out.erase(0, static_cast<std::size_t>(count));
    if (count < 0 && errno != EAGAIN) one.out.clear();  // its reading side tells
    const bool waits = !one.out.empty();
    if (waits != one.waits_to_write) poll_.change(one.fd, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
    one.waits_to_write = waits;
  }

  static void add_chunk(Connection& one, std::string_view text) {
    char size[32];
    const int length = std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    one.out.append(size, static_cast<std::size_t>(length)).append(text).append("\r\n");
  }

  void add_event(Connection& one) const {
    constexpr char kInText[] =
        "data: "
        "{\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":"
        "1700000000,"
        "\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" "
        "ts=%llu\"},\"logprobs\":null,"
        "\"finish_reason\":null}]}\n\n";
    constexpr char kBeside[] =
        "data: "
        "{\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":"
        "1700000000,"
        "\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" "
        "token\"},\"logprobs\":null,"
        "\"finish_reason\":null}],\"ts\":%llu}\n\n";
    char text[512];
    const auto now = static_cast<unsigned long long>(rig::now_ns());
    const int length = pace_.stamp_in_text ? std::snprintf(text, sizeof text, kInText, now)
                                           : std::snprintf(text, sizeof text, kBeside, now);
    add_chunk(one, {text, static_cast<std::size_t>(length)});
  }

  static void add_json(Connection& one, std::string_view body) {
    one.out.append("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ")
        .append(std::to_string(body.size()))
        .append("\r\n\r\n")
        .append(body);
  }

  // Length of the whole request that begins the bytes; 0: not there yet.
  static std::size_t whole_request(const std::string& in) {
    const std::size_t head = in.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    std::size_t whole = head + 4;
    const char* length = strcasestr(in.c_str(), "content-length:");
    if (length != nullptr && length < in.c_str() + head) whole += std::strtoul(length + 15, nullptr, 10);
    return in.size() < whole ? 0 : whole;
  }

  void answer(Connection& one) {
    while (one.stream == 0) {
      const std::size_t whole = whole_request(one.in);
      if (whole == 0) return;
      const std::string_view request(one.in.data(), whole);
      const bool get = request.starts_with("GET ");
      const bool stream = request.find("\"stream\":true") != std::string_view::npos;
      one.in.erase(0, whole);
      if (stream) return begin_stream(one);
      add_json(one, get ? kModels : kAnswer);
      flush(one);
    }
  }

  void begin_stream(Connection& one) {
    one.out.append(kStreamHead);
    flush(one);
    one.stream = ++streams_;
    one.left = pace_.events;
    due_.push({rig::now_ns() + static_cast<std::uint64_t>(pace_.first_us) * 1000U, one.fd, one.stream});
  }

  void send_what_is_due() {
    const std::uint64_t now = rig::now_ns();
    while (!due_.empty() && due_.top().at <= now) {
      const Due due = due_.top();
      due_.pop();
      const auto found = connections_.find(due.fd);
      if (found == connections_.end() || found->second.stream != due.stream) continue;
      advance(found->second, due);
    }
  }

  void advance(Connection& one, const Due& due) {
    if (one.left > 0 && one.out.size() < kMostQueued) {
      add_event(one);
      --one.left;
    }
    if (one.left > 0) {
      flush(one);
      due_.push({due.at + static_cast<std::uint64_t>(pace_.every_us) * 1000U, one.fd, one.stream});
      return;
    }
    add_chunk(one, "data: [DONE]\n\n");
    one.out.append("0\r\n\r\n");
    one.stream = 0;
    flush(one);
    answer(one);
  }

  const Pace pace_;
  rig::Poll poll_;
  std::vector<int> listeners_;
  std::unordered_map<int, Connection> connections_;
  std::priority_queue<Due> due_;
  std::uint64_t streams_ = 0;
};

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  rig::Options options(count, words);
  const Pace pace{.events = options.number("events", 64),
                  .first_us = options.number("first-us", 5000),
                  .every_us = options.number("every-us", 20000),
                  .stamp_in_text = options.number("stamp-in-text", 0) != 0};
  const auto ports = static_cast<int>(options.number("ports", 8));
  options.none_left();
  Engine(pace, ports).run();
}
