// Addresses are compared as text: names other than localhost are not looked up.
#include "rules/serving/listeners.h"

#include "base/strings.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kListenOn{"listen on port {port}; clients have to use it, too",
                         "改用端口 {port}；客户端也要跟着改"};

constexpr Text kPublishOn{"publish it as port {port}; clients have to use it, too",
                          "发布到端口 {port}；客户端也要跟着改"};

constexpr int kLastPort = 65535;
constexpr int kFirstUnprivileged = 1024;  // below it only root may listen

bool is_v6(std::string_view address) { return address.find(':') != std::string_view::npos; }

// An IPv6 socket on every address takes IPv4 connections, too, unless it was told not to.
bool covers(std::string_view address, std::string_view other) {
  if (address == "::" || address == "*" || address.empty()) return true;
  return address == "0.0.0.0" && (!is_v6(other) || other == "::");
}

std::string as_number(const std::string& address) {
  return lower(address) == "localhost" ? "127.0.0.1" : address;
}

}  // namespace

std::optional<Listener> listener_of(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (own_network(c)) {
    const PublishedPort* port = serve.port.known() ? published(c, serve.port.value()) : nullptr;
    if (port == nullptr || port->host == 0) return {};
    return Listener{port->address.empty() ? "0.0.0.0" : as_number(port->address), port->host};
  }
  if (!serve.port.known() || !serve.host.known() || serve.host.value().starts_with("unix:"))
    return {};
  if (serve.port.value() <= 0 || serve.port.value() > kLastPort) return {};
  return Listener{as_number(serve.host.value()), serve.port.value()};
}

std::string written(const Listener& listener) {
  const std::string port = ':' + std::to_string(listener.port);
  return is_v6(listener.address) ? '[' + listener.address + ']' + port : listener.address + port;
}

bool in_the_way(const Listener& a, const Listener& b) {
  if (a.port != b.port) return false;
  return a.address == b.address || covers(a.address, b.address) || covers(b.address, a.address);
}

std::set<int> ports_in_use(const Case& c) {
  std::set<int> used;
  for (const UsedPort& port : c.host().used_ports.value_or({})) used.insert(port.port);
  if (c.all_launches == nullptr) return used;
  for (const Case& other : *c.all_launches) {
    if (other.launch == c.launch) continue;
    if (const auto listener = listener_of(other)) used.insert(listener->port);
  }
  return used;
}

std::optional<Proposal> another_port(const Case& c, int port, int skipped) {
  const std::set<int> used = ports_in_use(c);
  const auto free_from = [&used](int first) {
    while (first <= kLastPort && used.contains(first)) ++first;
    return first;
  };
  int next = free_from(port + 1);
  for (int i = 0; i < skipped; ++i) next = free_from(next + 1);
  if (next > kLastPort) next = free_from(kFirstUnprivileged);
  if (next > kLastPort) return {};
  if (own_network(c)) {
    const PublishedPort* entry = published(c, c.serve.port.value_or(0));
    if (entry == nullptr) return {};
    auto changes = publish_instead(c, *entry, entry->address, next, entry->inside);
    if (changes.empty()) return {};
    return Proposal{.title = {kPublishOn, {{"port", next}}}, .changes = std::move(changes)};
  }
  return Proposal{.title = {kListenOn, {{"port", next}}},
                  .changes = {set_flag("--port", std::to_string(next))}};
}

}  // namespace sx::rules
