// How long ranks take over a kind of links to sum up or to pass on a message
// (data/speed/collectives.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace sx {

// [latency^e + (bytes/rate)^e]^(1/e)
struct LinkLaw {
  double latency_us = 0, gb_per_second = 0, exponent = 1;
  double reference_gb_per_second = 0;  // rate of the links it was measured on, as data sheets give
};

// Path: "engine" (its own all-reduce), "nccl", "send" (between two stages). Constants between the
// measured numbers of ranks lie between theirs; beyond the largest its latency grows with the
// ranks. Nothing: no such links, or no such path over them.
std::optional<LinkLaw> link_law(std::string_view link, std::string_view path, int ranks);

// Microseconds of one all-reduce over PCIe as it was measured ("pcie-host", "pcie-peer"): over the
// engine's own path where only two take part, which is all it allows there, else over NCCL.
std::optional<double> pcie_all_reduce_us(std::string_view link, int ranks, Bytes message);

}  // namespace sx
