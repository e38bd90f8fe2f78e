// One container of a pod → a container. Pure.
#pragma once

#include <string>

#include "gather/manifest_container.h"
#include "read/yaml.h"

namespace sx {

// What stands around a pod: the workload that makes it.
struct KubernetesWorkload {
  std::string kind;  // "Deployment"
  std::string name;
  Span name_span;
  Fact<int> replicas;
  Fact<int> hosts;        // machines of one group, of a LeaderWorkerSet
  bool in_group = false;  // LWS_… variables are set
};

Container kubernetes_container(const Sources& sources, const KubernetesWorkload& workload,
                               const YamlNode& pod, const YamlNode& container);

// Parts of it, each in a file of its own.
void take_kubernetes_environment(const Sources& sources, const KubernetesWorkload& workload,
                                 const YamlNode& container, Container& out);
void take_kubernetes_limits(const Sources& sources, const YamlNode& pod, const YamlNode& container,
                            Surroundings& around);

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
