// Listening ports from /proc/net/tcp and tcp6, where addresses are written as hexadecimal words of
// this machine.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/ports.h"
#include "base/strings.h"
#include "sys/procfs.h"

namespace sx {
namespace {

constexpr std::string_view kListening = "0A";
constexpr std::size_t kMostPorts = 65536;

std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// "0100007F", or four such words for version 6.
std::string address_of(std::string_view text) {
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = text.size() / 8;
  if (text.size() % 8 != 0 || (count != 1 && count != 4)) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = hexadecimal(text.substr(i * 8, 8));
    if (!word) return {};
    words[i] = *word;
  }
  std::array<char, INET6_ADDRSTRLEN> shown{};
  const int family = count == 1 ? AF_INET : AF_INET6;
  if (::inet_ntop(family, words.data(), shown.data(), shown.size()) == nullptr) return {};
  return shown.data();
}

}  // namespace

std::vector<ListeningPort> parse_listening_ports(std::string_view text) {
  std::vector<ListeningPort> ports;
  for (const std::string_view line : lines_of(text)) {
    std::array<std::string_view, 4> fields;  // number, local address, remote address, state
    std::size_t found = 0;
    for (const std::string_view word : split(line.substr(0, 256), ' ')) {
      if (word.empty()) continue;
      fields[found++] = word;
      if (found == fields.size()) break;
    }
    const auto colon = fields[1].find(':');
    if (fields[3] != kListening || colon == std::string_view::npos) continue;
    const auto port = hexadecimal(fields[1].substr(colon + 1));
    std::string address = address_of(fields[1].substr(0, colon));
    if (!port || *port > kLastPort || address.empty() || ports.size() >= kMostPorts) continue;
    ports.push_back({static_cast<int>(*port), std::move(address)});
  }
  std::ranges::sort(ports);
  const auto twice = std::ranges::unique(ports);
  ports.erase(twice.begin(), twice.end());
  return ports;
}

}  // namespace sx
