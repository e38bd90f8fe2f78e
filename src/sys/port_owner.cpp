// Sockets have inodes; /proc/net/tcp and /proc/PID/fd both name them.
#include "sys/port_owner.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>

#include "sys/files.h"
#include "sys/process_name.h"

namespace sx {
namespace {

constexpr Bytes kMostTable = mib(16);
constexpr std::string_view kListens = "0A";
constexpr std::size_t kAddress = 1, kState = 3, kInode = 9;  // columns

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class Number>
bool read_number(std::string_view text, Number& number, int base) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Inodes of the sockets a process holds; empty also where they may not be looked at.
std::set<std::uint64_t> sockets_of(pid_t pid, bool& told) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  std::set<std::uint64_t> inodes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return inodes;
  told = true;
  while (const dirent* entry = ::readdir(folder.get())) {
    std::array<char, 64> target{};
    const std::string link = path + '/' + static_cast<const char*>(entry->d_name);
    const ssize_t count = ::readlink(link.c_str(), target.data(), target.size());
    std::string_view words(target.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
    constexpr std::string_view kSocket = "socket:[";
    if (!words.starts_with(kSocket) || !words.ends_with(']')) continue;
    words = words.substr(kSocket.size(), words.size() - kSocket.size() - 1);
    std::uint64_t inode = 0;
    if (read_number(words, inode, 10)) inodes.insert(inode);
  }
  return inodes;
}

std::set<std::uint64_t> all_listening(int port) {
  std::set<std::uint64_t> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    if (const auto text = real_files().read(table, kMostTable))
      inodes.merge(listening_inodes(*text, port));
  }
  return inodes;
}

}  // namespace

std::set<std::uint64_t> listening_inodes(std::string_view text, int port) {
  std::set<std::uint64_t> inodes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.size() <= kInode || words[kState] != kListens) continue;
    const std::size_t colon = words[kAddress].rfind(':');
    int there = 0;
    std::uint64_t inode = 0;
    if (colon == std::string_view::npos ||
        !read_number(words[kAddress].substr(colon + 1), there, 16))
      continue;
    if (there == port && read_number(words[kInode], inode, 10)) inodes.insert(inode);
  }
  return inodes;
}

std::optional<PortOwner> owner_of(int port) {
  const auto wanted = all_listening(port);
  if (wanted.empty()) return std::nullopt;
  for (const ProcessIdentity& process : all_processes()) {
    bool told = false;
    const auto held = sockets_of(process.pid, told);
    if (std::ranges::none_of(held, [&](std::uint64_t inode) { return wanted.contains(inode); }))
      continue;
    auto name = real_files().read("/proc/" + std::to_string(process.pid) + "/comm", kMostTable);
    if (!name) continue;  // it has just ended
    while (name->ends_with('\n')) name->pop_back();
    return PortOwner{.pid = process.pid, .name = shown_process_name(*name)};
  }
  return std::nullopt;
}

std::optional<bool> one_listens(const std::vector<ProcessIdentity>& processes, int port) {
  const auto wanted = all_listening(port);
  if (wanted.empty()) return std::nullopt;
  bool told = false;
  for (const ProcessIdentity& process : processes) {
    const auto held = sockets_of(process.pid, told);
    if (std::ranges::any_of(held, [&](std::uint64_t inode) { return wanted.contains(inode); }))
      return true;
  }
  if (!told) return std::nullopt;
  return false;
}

}  // namespace sx
