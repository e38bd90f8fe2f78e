// One container of a pod → a container. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gather/manifest_container.h"
#include "read/yaml.h"

namespace sx {

using KubernetesLabels = std::vector<std::pair<std::string, std::string>>;

// A Service: to which pods it sends what comes to its ports.
struct KubernetesService {
  std::string name;
  KubernetesLabels selector;
  std::vector<PlacedText> targets;  // numbers, or names of the container's ports
};

// What stands around a pod: the workload that makes it, and the Services of the same file.
struct KubernetesWorkload {
  std::string kind;  // "Deployment"
  std::string name;
  Span name_span;
  Fact<int> replicas;
  Fact<int> hosts;          // machines of one group, of a LeaderWorkerSet
  bool in_group = false;    // LWS_… variables are set
  KubernetesLabels labels;  // of the pod
  const std::vector<KubernetesService>* services = nullptr;
};

Container kubernetes_container(const Sources& sources, const KubernetesWorkload& workload,
                               const YamlNode& pod, const YamlNode& container);

// Parts of it, each in a file of its own.
void take_kubernetes_environment(const Sources& sources, const KubernetesWorkload& workload,
                                 const YamlNode& container, Container& out);
void take_kubernetes_limits(const Sources& sources, const YamlNode& pod, const YamlNode& container,
                            Surroundings& around);

// Ports, probes and Services that reach the container.
void take_kubernetes_ports(const Sources& sources, const KubernetesWorkload& workload,
                           const YamlNode& pod, const YamlNode& container, Surroundings& around);
std::vector<KubernetesService> kubernetes_services(const Sources& sources,
                                                   const std::vector<YamlNode>& documents);
KubernetesLabels kubernetes_labels(const YamlNode* labels);

// A plain scalar that the API server does not take for a text: 1, 1e3, true, yes, n.
bool is_no_text(const Sources& sources, const YamlNode& scalar);

// $(NAME) of variables that are set here; $$(NAME) stays as $(NAME).
struct KubernetesVariables {
  const std::vector<Setting>& environment;
  bool others = false;  // there may be more than these (envFrom)
  const KubernetesWorkload& workload;
};
PlacedText kubernetes_expanded(const PlacedText& text, const KubernetesVariables& variables);

}  // namespace sx
