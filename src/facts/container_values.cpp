// Each function takes one option's value; what it does not understand is nothing, never a guess.
#include "facts/container_values.h"

#include <algorithm>

#include "base/ports.h"
#include "base/strings.h"

namespace sx {
namespace {

constexpr int kMostPorts = 64;  // of a range: what listens is one port

struct PortRange {
  int first = 0, last = 0;
};

std::optional<PortRange> port_range(std::string_view text) {
  if (text.empty()) return PortRange{};
  const auto dash = text.find('-');
  const auto first = to_integer(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : to_integer(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last > kLastPort) return {};
  return PortRange{static_cast<int>(*first), static_cast<int>(*last)};
}

// Fields of a CSV line: "device=0,1" in quotes is one field.
std::vector<std::string> csv_fields(std::string_view text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

std::optional<Mount> volume_mount(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty() || !parts[1].starts_with('/'))
    return {};
  Mount mount{.host = std::string(parts[0]), .inside = std::string(parts[1])};
  if (parts.size() == 3) {
    const auto flags = split(parts[2], ',');
    mount.read_only = std::ranges::find(flags, "ro") != flags.end();
  }
  return mount;
}

std::optional<Mount> option_mount(std::string_view text) {
  Mount mount;
  bool bound = true;
  for (const auto& field : csv_fields(text)) {
    const auto equals = field.find('=');
    const std::string key = lower(field.substr(0, equals));
    const std::string value =
        equals == std::string::npos ? std::string() : field.substr(equals + 1);
    if (key == "source" || key == "src") mount.host = value;
    if (key == "target" || key == "dst" || key == "destination") mount.inside = value;
    if (key == "readonly" || key == "ro") mount.read_only = value != "false" && value != "0";
    if (key == "type") bound = value != "tmpfs";
  }
  if (!bound || mount.host.empty() || !mount.inside.starts_with('/')) return {};
  return mount;
}

std::vector<PublishedPort> published_ports(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (lower(text.substr(slash + 1)) != "tcp") return {};
    text = text.substr(0, slash);
  }
  std::string address;
  if (text.starts_with('[')) {
    const auto end = text.find("]:");
    if (end == std::string_view::npos) return {};
    address = text.substr(1, end - 1);
    text = text.substr(end + 2);
  }
  auto parts = split(text, ':');
  if (parts.size() == 3 && address.empty()) {
    address = parts[0];
    parts.erase(parts.begin());
  }
  if (parts.size() > 2) return {};
  const auto inside = port_range(parts.back());
  const auto host = parts.size() == 2 ? port_range(parts[0]) : PortRange{};
  if (!inside || !host || inside->first == 0) return {};
  std::vector<PublishedPort> ports;
  for (int port = inside->first; port <= inside->last && port - inside->first < kMostPorts;
       ++port) {
    const int on_host = host->first == 0 ? 0 : host->first + (port - inside->first);
    ports.push_back({.address = address, .host = on_host, .inside = port});
  }
  return ports;
}

GpuRequest gpu_request(std::string_view text) {
  GpuRequest request;
  for (const auto& field : csv_fields(text)) {
    const auto equals = field.find('=');
    const std::string key(trimmed(std::string_view(field).substr(0, equals)));
    const bool bare = equals == std::string::npos;
    const std::string value = bare ? key : field.substr(equals + 1);
    if (bare || key == "count") {
      const auto number = to_integer(value);
      if (value == "all" || (number && *number == -1)) {
        request.all = true;
      } else if (number && *number >= 0 && *number <= 1024) {
        request.count = static_cast<int>(*number);
      } else {
        request.understood = false;
      }
    } else if (key == "device") {
      for (const auto device : split(value, ',')) request.devices.emplace_back(trimmed(device));
    }
  }
  request.count_and_devices = request.count.has_value() && !request.devices.empty();
  return request;
}

}  // namespace sx
