// A client in a closed loop: each connection sends its next request when the last one was answered.
// Tells latencies, delays of events, and what the watched process cost, as one line of JSON.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include "encrypted.h"
#include "rig.h"

namespace {

struct Ask {
  int port = 0;
  long connections = 1, body = 512, pid = 0;
  double warm_s = 1, seconds = 2;
  bool stream = false;
  bool escapes = false;        // the body is full of them
  bool deaf = false;           // streams are asked for and never read
  bool tls = false;
  bool stamp_in_text = false;  // where the engine puts the time of an event
  std::string key;
};

struct Connection {
  int fd = -1;
  SSL* tls = nullptr;
  std::string in;
  std::size_t scanned = 0;
  std::uint64_t asked_at = 0;
  bool first = true;  // event still to come
};

std::string request_of(const Ask& ask) {
  std::string body = "{\"messages\":[{\"role\":\"user\",\"content\":\"";
  const std::string tail = std::string("\"}],\"max_tokens\":64,\"stream\":") + (ask.stream ? "true" : "false") +
                           ",\"model\":\"mock-model\"}";
  const std::string_view words = ask.escapes ? "line \\\"one\\\"\\n\\tline \\u00e9\\n" : "lorem ipsum dolor sit amet ";
  while (body.size() + tail.size() < static_cast<std::size_t>(ask.body)) body += words;
  body += tail;
  std::string request =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Accept: application/json\r\nUser-Agent: OpenAI/Python 1.99.0\r\n";
  if (!ask.key.empty()) request += "Authorization: Bearer " + ask.key + "\r\n";
  return request + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Client {
 public:
  explicit Client(const Ask& ask)
      : ask_(ask), request_(request_of(ask)), all_(static_cast<std::size_t>(ask.connections)) {
    if (ask.tls) encryption_.emplace();
    for (std::size_t i = 0; i < all_.size(); ++i) dial(i);
  }

  void run() {
    const std::uint64_t began = rig::now_ns(), counts_at = began + static_cast<std::uint64_t>(ask_.warm_s * 1e9);
    const std::uint64_t ends_at = counts_at + static_cast<std::uint64_t>(ask_.seconds * 1e9);
    // Streams that begin together would send their events together: spread them over the warm-up.
    const double ramp = ask_.warm_s * 0.9e9 / static_cast<double>(all_.size());
    std::size_t started = 0;
    static epoll_event events[1024];
    for (std::uint64_t now = began; now < ends_at; now = rig::now_ns()) {
      while (started < all_.size() && static_cast<double>(now - began) >= ramp * static_cast<double>(started))
        send(started++);
      if (!counting_ && now >= counts_at) begin_to_count(now);
      const int count = poll_.wait(events, started < all_.size() ? 200'000U : 20'000'000U);
      for (int i = 0; i < count; ++i) hear(owner_[static_cast<std::size_t>(events[i].data.fd)]);
    }
    tell(static_cast<double>(rig::now_ns() - counted_from_));
  }

 private:
  void dial(std::size_t index) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = rig::loopback(ask_.port);
    if (fd < 0) rig::give_up("socket");
    rig::no_delay(fd);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) rig::give_up("connect");
    all_[index].fd = fd;
    if (encryption_) all_[index].tls = encryption_->begin(fd);
    if (owner_.size() <= static_cast<std::size_t>(fd)) owner_.resize(static_cast<std::size_t>(fd) + 1);
    owner_[static_cast<std::size_t>(fd)] = index;
    if (!ask_.deaf) poll_.add(fd, EPOLLIN);
  }

  void send(std::size_t index) {
    Connection& one = all_[index];
    one.in.clear();
    one.scanned = 0;
    one.first = true;
    one.asked_at = rig::now_ns();
    for (std::size_t at = 0; at < request_.size();) {
      const char* rest = request_.data() + at;
      const std::size_t size = request_.size() - at;
      const ssize_t count = one.tls ? rig::write_some(one.tls, rest, size) : write(one.fd, rest, size);
      if (count <= 0) {
        ++errors_;
        return;
      }
      at += static_cast<std::size_t>(count);
    }
  }

  void begin_to_count(std::uint64_t now) {
    counting_ = true;
    counted_from_ = now;
    cpu_before_ = rig::cpu_ns(ask_.pid);
    own_before_ = rig::cpu_ns(getpid());
    requests_ = events_ = reads_ = 0;
  }

  // One event may bring several records, of which the kernel tells no more once they are read.
  void hear(std::size_t index) {
    if (all_[index].tls == nullptr) {
      take(index, read(all_[index].fd, buffer_, sizeof buffer_));
      return;
    }
    while (true) {
      const long count = rig::read_some(all_[index].tls, buffer_, sizeof buffer_);
      if (count == -2 || !take(index, count)) return;
    }
  }

  // False: this connection is another one now.
  bool take(std::size_t index, ssize_t count) {
    Connection& one = all_[index];
    if (count <= 0) {
      ++errors_;
      poll_.remove(one.fd);
      if (one.tls != nullptr) SSL_free(one.tls);
      close(one.fd);
      dial(index);
      send(index);
      return false;
    }
    understand(index, static_cast<std::size_t>(count));
    return true;
  }

  void understand(std::size_t index, std::size_t count) {
    Connection& one = all_[index];
    const std::uint64_t now = rig::now_ns();
    ++reads_;
    one.in.append(buffer_, count);
    if (one.in.size() > 12 && one.in.compare(9, 3, "200") != 0) {
      if (++errors_ < 3) std::fprintf(stderr, "an answer begins: %.300s\n", one.in.c_str());
      usleep(1000);
      return send(index);
    }
    if (ask_.stream) hear_events(one, now);
    if (!(ask_.stream ? stream_ended(one) : answer_ended(one))) return;
    ++requests_;
    if (counting_) totals_.push_back(now - one.asked_at);
    send(index);
  }

  void hear_events(Connection& one, std::uint64_t now) {
    const std::string_view stamp = ask_.stamp_in_text ? "\" ts=" : "\"ts\":";
    std::size_t at = 0;
    while ((at = one.in.find(stamp, one.scanned)) != std::string::npos) {
      const std::size_t end = one.in.find('}', at);
      if (end == std::string::npos) return;
      const std::uint64_t made = std::strtoull(one.in.c_str() + at + stamp.size(), nullptr, 10);
      ++events_;
      if (counting_) {
        delays_.push_back(now - made);
        if (one.first) firsts_.push_back(now - one.asked_at);
      }
      one.first = false;
      one.scanned = end;
    }
  }

  static bool stream_ended(const Connection& one) {
    const std::size_t done = one.in.find("data: [DONE]", one.scanned > 20 ? one.scanned - 20 : 0);
    return done != std::string::npos && one.in.find("0\r\n\r\n", done) != std::string::npos;
  }

  static bool answer_ended(const Connection& one) {
    const std::size_t head = one.in.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const char* length = strcasestr(one.in.c_str(), "content-length:");
    if (length == nullptr || length > one.in.c_str() + head) return one.in.ends_with("0\r\n\r\n");
    return one.in.size() >= head + 4 + std::strtoul(length + 15, nullptr, 10);
  }

  static void tell_times(const char* name, std::vector<std::uint64_t>& times) {
    if (times.empty()) return;
    std::ranges::sort(times);
    const auto at = [&](double share) {
      const auto index = static_cast<std::size_t>(share * static_cast<double>(times.size()));
      return static_cast<double>(times[std::min(index, times.size() - 1)]) / 1000;
    };
    std::printf(",\"%s\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"most\":%.1f}", name, at(0.5), at(0.9), at(0.99),
                static_cast<double>(times.back()) / 1000);
  }

  // Times in microseconds.
  void tell(double ns) {
    const double cpu = rig::cpu_ns(ask_.pid) - cpu_before_, own = rig::cpu_ns(getpid()) - own_before_;
    const auto each = [&](double count) { return count > 0 ? cpu / 1000 / count : 0; };
    const auto requests = static_cast<double>(requests_), events = static_cast<double>(events_);
    std::printf("{\"requests_per_s\":%.1f,\"events_per_s\":%.1f,\"errors\":%lu", requests * 1e9 / ns, events * 1e9 / ns,
                static_cast<unsigned long>(errors_));
    std::printf(",\"cpu_share\":%.4f,\"cpu_us_per_request\":%.3f,\"cpu_us_per_event\":%.3f", cpu / ns, each(requests),
                each(events));
    std::printf(",\"resident_kib\":%ld,\"client_share\":%.4f,\"events_per_read\":%.3f", rig::resident_kib(ask_.pid),
                own / ns, reads_ > 0 ? events / static_cast<double>(reads_) : 0);
    tell_times("total_us", totals_);
    tell_times("first_us", firsts_);
    tell_times("delay_us", delays_);
    std::printf("}\n");
  }

  static inline char buffer_[262144];
  const Ask ask_;
  const std::string request_;
  std::optional<rig::Encryption> encryption_;
  rig::Poll poll_;
  std::vector<Connection> all_;
  std::vector<std::size_t> owner_;  // by descriptor
  std::vector<std::uint64_t> totals_, firsts_, delays_;
  std::uint64_t requests_ = 0, events_ = 0, reads_ = 0, errors_ = 0, counted_from_ = 0;
  double cpu_before_ = 0, own_before_ = 0;
  bool counting_ = false;
};

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  rig::Options options(count, words);
  Ask ask;
  ask.port = static_cast<int>(options.number("port", 0));
  ask.connections = options.number("connections", 1);
  ask.body = options.number("body", 512);
  ask.pid = options.number("pid", 0);
  ask.warm_s = std::strtod(options.text("warm", "0.5").c_str(), nullptr);
  ask.seconds = std::strtod(options.text("seconds", "2").c_str(), nullptr);
  ask.stream = options.number("stream", 0) != 0;
  ask.escapes = options.number("escapes", 0) != 0;
  ask.deaf = options.number("deaf", 0) != 0;
  ask.tls = options.number("tls", 0) != 0;
  ask.stamp_in_text = options.number("stamp-in-text", 0) != 0;
  ask.key = options.text("key", "");
  options.none_left();
  Client(ask).run();
}
