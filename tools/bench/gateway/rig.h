// What the engine and the client of the measurements share: the clock, sockets, options, a process
// seen from outside.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

namespace rig {

// Of this host, the same for every process: delays between two of them are exact.
inline std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

[[noreturn]] inline void give_up(const char* what) {
  std::perror(what);
  std::exit(2);
}

// "--name value" pairs; a name that nobody asks for ends the program.
class Options {
 public:
  Options(int count, char** words) {
    for (int at = 1; at + 1 < count; at += 2) values_[words[at]] = words[at + 1];
  }
  std::string text(const std::string& name, std::string otherwise) {
    const auto found = values_.find("--" + name);
    if (found == values_.end()) return otherwise;
    std::string value = found->second;
    values_.erase(found);
    return value;
  }
  long number(const std::string& name, long otherwise) {
    const std::string value = text(name, "");
    return value.empty() ? otherwise : std::strtol(value.c_str(), nullptr, 10);
  }
  void none_left() const {
    if (values_.empty()) return;
    std::fprintf(stderr, "no such option: %s\n", values_.begin()->first.c_str());
    std::exit(2);
  }

 private:
  std::map<std::string, std::string> values_;
};

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline void no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

class Poll {
 public:
  Poll() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
    if (fd_ < 0) give_up("epoll_create1");
  }
  void add(int fd, std::uint32_t events) const { control(EPOLL_CTL_ADD, fd, events); }
  void change(int fd, std::uint32_t events) const { control(EPOLL_CTL_MOD, fd, events); }
  void remove(int fd) const { control(EPOLL_CTL_DEL, fd, 0); }
  // How many came within so many nanoseconds.
  template <std::size_t most>
  int wait(epoll_event (&events)[most], std::uint64_t ns) const {
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(ns / 1'000'000'000U);
    limit.tv_nsec = static_cast<long>(ns % 1'000'000'000U);
    return epoll_pwait2(fd_, events, static_cast<int>(most), &limit, nullptr);
  }

 private:
  void control(int what, int fd, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    epoll_ctl(fd_, what, fd, &event);
  }
  int fd_;
};

// A process from outside: time on a core in nanoseconds, of all its threads that live; resident
// memory in KiB. -1: it has gone.
inline double cpu_ns(long pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return -1;
  double sum = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    double ns = 0;
    if (std::FILE* file = std::fopen((tasks + '/' + entry->d_name + "/schedstat").c_str(), "r")) {
      if (std::fscanf(file, "%lf", &ns) == 1) sum += ns;
      std::fclose(file);
    }
  }
  closedir(folder);
  return sum;
}
inline long resident_kib(long pid) {
  long kib = -1;
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) std::sscanf(line, "VmRSS: %ld", &kib);
    std::fclose(file);
  }
  return kib;
}

}  // namespace rig
