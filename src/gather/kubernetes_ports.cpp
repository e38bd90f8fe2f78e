// Who asks a container on which port: its published ports, its probes, and the Services of the same
// file whose selector fits the pod.
#include <algorithm>

#include "base/strings.h"
#include "facts/local_url.h"
#include "gather/kubernetes_container.h"
#include "gather/manifest_values.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

// Each container is held against each Service: real files have a handful of everything.
constexpr std::size_t kMostServices = 64;
constexpr std::size_t kMostOfAList = 32;  // labels, ports

PlacedText text_of(const Sources& sources, const YamlNode* scalar) {
  if (scalar == nullptr || scalar->kind != YamlNode::Kind::Scalar) return {};
  return placed_text(sources, *scalar);
}

bool is_port(int number) { return number > 0 && number < 65536; }

// The container's ports by name.
using NamedPorts = std::vector<std::pair<std::string, int>>;

NamedPorts named_ports(const Sources& sources, const YamlNode& container) {
  NamedPorts named;
  const YamlNode* ports = container.find("ports");
  if (ports == nullptr) return named;
  for (const YamlNode& item : ports->items) {
    if (named.size() >= kMostOfAList) break;
    named.emplace_back(text_of(sources, item.find("name")).text(),
                       count_fact(text_of(sources, item.find("containerPort"))).value_or(0));
  }
  return named;
}

// A number, or the name of one of the container's ports; 0: neither.
int port_of(const NamedPorts& ports, const PlacedText& said) {
  if (const Fact<int> number = count_fact(said); number) return number.value();
  const auto found = std::ranges::find(ports, said.text(), &NamedPorts::value_type::first);
  return found == ports.end() || said.empty() ? 0 : found->second;
}

void take_published(const Sources& sources, const YamlNode& container, Surroundings& around) {
  const YamlNode* ports = container.find("ports");
  if (ports == nullptr) return;
  for (const YamlNode& item : ports->items) {
    PublishedPort port{.span = item.span};
    port.inside = count_fact(text_of(sources, item.find("containerPort"))).value_or(0);
    port.host = count_fact(text_of(sources, item.find("hostPort"))).value_or(0);
    port.address = text_of(sources, item.find("hostIP")).text();
    // A containerPort alone says what the container listens on and opens nothing.
    if (is_port(port.host) && is_port(port.inside)) around.ports.push_back(std::move(port));
  }
}

template <class T>
Fact<T> or_default(Fact<T> fact, const YamlNode& map, std::string_view key, const Fact<T>& other) {
  return map.find(key) == nullptr ? other : fact;
}

// What it asks, of which port.
void take_question(const Sources& sources, const NamedPorts& ports, const YamlNode& http,
                   HealthProbe& probe) {
  const PlacedText path = text_of(sources, http.find("path"));
  probe.path = path.text();
  if (path.source() >= 0) probe.path_span = path.span();
  const PlacedText port = text_of(sources, http.find("port"));
  probe.port = port_of(ports, port);
  if (port.source() >= 0) probe.port_span = port.span();
  probe.headers = http.find("httpHeaders") != nullptr;
}

// `exec: {command: [curl, -f, http://localhost:8000/health]}`. What forgives a failure asks
// nothing.
void take_command(const Sources& sources, const YamlNode& exec, HealthProbe& probe) {
  const YamlNode* command = exec.find("command");
  if (command == nullptr) return;
  for (const YamlNode& item : command->items) {
    const PlacedText text = text_of(sources, &item);
    probe.headers = probe.headers || lower(text.text()).contains("authorization");
    const auto url = local_url(text.text());
    if (!url || !probe.path.empty() || text.text().contains("|| true")) continue;
    probe.path = url->path;
    probe.port = url->port;
    probe.port_span = text.span(url->at, url->end);
    probe.path_span = probe.port_span;
  }
}

void take_probes(const Sources& sources, const YamlNode& container, const NamedPorts& ports,
                 Surroundings& around) {
  struct Named {
    std::string_view key;
    HealthProbe::Kind kind;
  };
  constexpr Named kProbes[] = {{"startupProbe", HealthProbe::Kind::Startup},
                               {"readinessProbe", HealthProbe::Kind::Readiness},
                               {"livenessProbe", HealthProbe::Kind::Liveness}};
  const auto number = [&](const YamlNode& probe, std::string_view key, std::string_view otherwise) {
    const Fact<int> count = count_fact(text_of(sources, probe.find(key)));
    Fact<double> fact =
        count ? Fact<double>(count.value(), Origin::Config, count.span()) : Fact<double>();
    return or_default(fact, probe, key, default_number(otherwise));
  };
  for (const Named& named : kProbes) {
    const YamlNode* node = container.find(named.key);
    if (node == nullptr || node->kind != YamlNode::Kind::Map) continue;
    HealthProbe probe{.kind = named.kind, .span = node->key_span};
    for (const std::string_view kind : {"httpGet", "tcpSocket"}) {
      if (const YamlNode* asks = node->find(kind)) take_question(sources, ports, *asks, probe);
    }
    if (const YamlNode* exec = node->find("exec")) take_command(sources, *exec, probe);
    probe.initial_delay_s = number(*node, "initialDelaySeconds", "kubernetes-probe-delay");
    probe.period_s = number(*node, "periodSeconds", "kubernetes-probe-period");
    probe.timeout_s = number(*node, "timeoutSeconds", "kubernetes-probe-timeout");
    probe.failures = or_default(count_fact(text_of(sources, node->find("failureThreshold"))), *node,
                                "failureThreshold", default_count("kubernetes-probe-failures"));
    around.probes.push_back(std::move(probe));
  }
}

bool selects(const KubernetesService& service, const KubernetesLabels& labels) {
  return !service.selector.empty() &&
         std::ranges::all_of(service.selector, [&labels](const auto& wanted) {
           return std::ranges::find(labels, wanted) != labels.end();
         });
}

void take_service(const Sources& sources, const YamlNode& node,
                  std::vector<KubernetesService>& services) {
  const YamlNode* metadata = node.find("metadata");
  const YamlNode* spec = node.find("spec");
  if (metadata == nullptr || spec == nullptr || services.size() >= kMostServices) return;
  KubernetesService service{.name = text_of(sources, metadata->find("name")).text(),
                            .selector = kubernetes_labels(spec->find("selector")),
                            .targets = {}};
  const YamlNode* ports = spec->find("ports");
  if (ports == nullptr) return;
  for (const YamlNode& item : ports->items) {
    if (service.targets.size() >= kMostOfAList) break;
    // Without a targetPort it is the Service's own port.
    const YamlNode* target = item.find("targetPort");
    if (target == nullptr) target = item.find("port");
    const PlacedText text = text_of(sources, target);
    if (text.source() >= 0) service.targets.push_back(text);
  }
  services.push_back(std::move(service));
}

}  // namespace

KubernetesLabels kubernetes_labels(const YamlNode* labels) {
  KubernetesLabels out;
  if (labels == nullptr) return out;
  for (const YamlMember& member : labels->members) {
    if (member.value.kind == YamlNode::Kind::Scalar && out.size() < kMostOfAList)
      out.emplace_back(member.key, member.value.text);
  }
  return out;
}

std::vector<KubernetesService> kubernetes_services(const Sources& sources,
                                                   const std::vector<YamlNode>& documents) {
  std::vector<KubernetesService> services;
  const auto take = [&](const YamlNode& node) {
    const YamlNode* kind = node.find("kind");
    if (kind != nullptr && kind->text == "Service") take_service(sources, node, services);
  };
  for (const YamlNode& document : documents) {
    take(document);
    const YamlNode* items = document.find("items");  // of a List
    if (items == nullptr) continue;
    for (const YamlNode& item : items->items) take(item);
  }
  return services;
}

void take_kubernetes_ports(const Sources& sources, const KubernetesWorkload& workload,
                           const YamlNode& pod, const YamlNode& container, Surroundings& around) {
  take_published(sources, container, around);
  const NamedPorts ports = named_ports(sources, container);
  take_probes(sources, container, ports, around);
  const YamlNode* containers = pod.find("containers");
  if (containers != nullptr && !containers->items.empty())
    around.beside = static_cast<int>(containers->items.size()) - 1;
  if (workload.services == nullptr) return;
  for (const KubernetesService& service : *workload.services) {
    if (!selects(service, workload.labels)) continue;
    for (const PlacedText& target : service.targets) {
      const int inside = port_of(ports, target);
      if (is_port(inside) && around.forwarded.size() < kMostOfAList)
        around.forwarded.push_back({service.name, inside, target.span()});
    }
  }
}

}  // namespace sx
