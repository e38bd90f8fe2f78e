// What joins the GPUs of a group: the class of their weakest pair, and the laws of messages over
// it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "facts/host_spec.h"
#include "fit/card_speed.h"
#include "knowledge/link_laws.h"

namespace sx {

struct GroupLinks {
  int ranks = 1;
  std::string_view link;        // row of collectives.tsv: "nvl4", "pcie4-root"; empty: one GPU
  std::string_view seen;        // weakest class of the topology: "NV12", "SYS"; empty: assumed
  std::optional<LinkLaw> own;   // the engine's own all-reduce; empty: not allowed on such links
  std::optional<LinkLaw> nccl;  // empty: nothing known
  std::optional<LinkLaw> send;
};

// `gpus` are positions in host.gpus; laws are scaled to the rate of the card's own links.
GroupLinks group_links(const HostSpec& host, std::span<const int> gpus, const CardSpeed& card);

}  // namespace sx
