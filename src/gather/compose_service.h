// One service of a compose file → a container. Pure: what lies beside the file was read before.
#pragma once

#include <string>
#include <vector>

#include "gather/manifest_container.h"
#include "read/compose_words.h"
#include "read/yaml.h"

namespace sx {

struct ComposeText {
  const Sources& sources;
  ComposeVariables variables;

  // A scalar with its variables replaced; of null and of anything else an empty text without
  // source.
  PlacedText text(const YamlNode* scalar) const;
  PlacedText text(const YamlNode& map, std::string_view key) const { return text(map.find(key)); }
};

Container compose_container(const ComposeText& compose, const std::string& name,
                            const YamlNode& service);

// Parts of it, each in a file of its own.
void take_compose_gpus(const ComposeText& compose, const YamlNode& service, Container& container);
void take_compose_mounts(const ComposeText& compose, const YamlNode& service, Surroundings& around);
void take_compose_ports(const ComposeText& compose, const YamlNode& service, Surroundings& around);
void take_compose_health(const ComposeText& compose, const YamlNode& service, Surroundings& around);

}  // namespace sx
