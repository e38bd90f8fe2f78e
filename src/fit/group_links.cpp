// From the link matrix, or from the kind of card where links are not known, to a row of constants.
#include "fit/group_links.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "fit/links.h"
#include "fit/shape.h"

namespace sx {
namespace {

using Way = LinkWay;

struct Weakest {
  Way way = Way::NvLink;
  int nvlinks = 0;           // of the pair with fewest; 0: not counted
  bool mixed = false;        // some pairs have NVLink, others not
  std::optional<bool> peer;  // all pairs may reach each other; empty: nobody says
  std::string_view seen;
};

std::optional<Way> way_of(std::string_view printed) {
  const LinkClass* known = find_link_class(printed);
  return known == nullptr ? std::nullopt : std::optional(known->way);
}

const std::string* cell(const std::vector<std::vector<std::string>>& matrix, int a, int b) {
  const auto row = static_cast<std::size_t>(std::min(a, b));
  const auto column = static_cast<std::size_t>(std::max(a, b));
  if (row >= matrix.size() || column >= matrix[row].size()) return nullptr;
  return &matrix[row][column];
}

std::optional<bool> peer_allowed(const HostSpec& host, int a, int b) {
  const std::string* peer = cell(host.links.p2p, a, b);
  if (peer == nullptr || peer->empty() || *peer == "X" || *peer == "U") return {};
  return *peer == "OK";
}

void take(Weakest& weakest, Way way, std::string_view seen) {
  if (!weakest.seen.empty() && way <= weakest.way) return;
  weakest.way = way;
  weakest.seen = seen;
}

// Empty: a pair's class is not known.
std::optional<Weakest> weakest_pair(const HostSpec& host, std::span<const int> gpus) {
  if (!host.links.known()) return {};
  Weakest weakest;
  bool some = false, all = true;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < gpus.size(); ++j) {
      const std::string* seen = cell(host.links.classes, gpus[i], gpus[j]);
      auto way = seen == nullptr ? std::nullopt : way_of(*seen);
      if (!way) return {};
      if (*way == Way::NvLink) {
        some = true;
        const int links = static_cast<int>(to_integer(seen->substr(2)).value_or(0));
        if (weakest.nvlinks == 0 || links < weakest.nvlinks) weakest.nvlinks = links;
      } else {
        all = false;
        const auto peer = peer_allowed(host, gpus[i], gpus[j]);
        if (peer == false) way = Way::Far;
        if (peer) weakest.peer = *peer && weakest.peer.value_or(true);
      }
      take(weakest, *way, *seen);
    }
  }
  weakest.mixed = some && !all;
  return weakest;
}

// NVLink where the kind of card has it without bridges; else PCIe below one root.
Weakest assumed(const HostSpec& host, std::span<const int> gpus) {
  const auto has_nvlink = [&](int gpu) {
    const auto at = static_cast<std::size_t>(gpu);
    return at < host.gpus.size() && host.gpus[at].nvlink.value_or(false);
  };
  return {.way = std::ranges::all_of(gpus, has_nvlink) ? Way::NvLink : Way::Root};
}

struct Pcie {
  int generation =
      4;  // where the catalogue does not say: most machines that serve have at least it
  double gb_per_second = 0;
};

// "4x16": generation and lanes.
Pcie pcie_of(const GpuKind& kind) {
  Pcie pcie;
  double lanes = 16;
  const std::string_view said = kind.pcie;
  if (said.size() >= 3 && said[0] >= '3' && said[0] <= '6' && said[1] == 'x') {
    pcie.generation = said[0] - '0';
    const auto end = std::min(said.find_first_not_of("0123456789", 2), said.size());
    lanes = static_cast<double>(to_integer(said.substr(2, end - 2)).value_or(16));
  }
  pcie.gb_per_second =
      lanes * formula_constant("pcie-lane-gb-per-second:" + std::to_string(pcie.generation));
  return pcie;
}

// Through the host bridge it matters whether cards may reach each other; where nobody says, those
// of PCIe 5 were seen to, those before were seen to go through the host's memory.
std::string_view pcie_row(const Weakest& weakest, const CardSpeed& card, int generation) {
  if (weakest.way == Way::Switch) return "pcie-switch";
  if (weakest.way == Way::Far) return generation >= 5 ? "pcie5-far" : "pcie4-far";
  const bool peer = weakest.peer.value_or(card.card.peer.value_or(generation >= 5));
  return peer ? "pcie-peer" : "pcie-host";
}

// Part of a card's NVLinks that a group uses: pairs joined by a few links of many get a part only.
double used_nvlinks(const Weakest& weakest, const CardSpeed& card, std::size_t ranks) {
  if (weakest.nvlinks == 0 || ranks < 2) return 1;
  const double card_rate = card.kind->nvlink_gb_per_second.value_or(0);
  const auto a_link =
      optional_formula_constant("nvlink-gb-per-second:" + std::string(card.card.nvlink));
  if (card_rate <= 0 || !a_link) return 1;
  const double used = weakest.nvlinks * static_cast<double>(ranks - 1) * *a_link;
  return std::min(1.0, used / card_rate);
}

std::optional<LinkLaw> scaled(std::optional<LinkLaw> law, double rate) {
  if (law && rate > 0 && law->reference_gb_per_second > 0)
    law->gb_per_second *= rate / law->reference_gb_per_second;
  return law;
}

}  // namespace

GroupLinks group_links(const HostSpec& host, std::span<const int> gpus, const CardSpeed& card) {
  GroupLinks links{.ranks = static_cast<int>(gpus.size())};
  if (gpus.size() < 2) return links;
  const auto known = weakest_pair(host, gpus);
  Weakest weakest = known.value_or(assumed(host, gpus));
  links.seen = weakest.seen;
  const bool no_peer = weakest.way != Way::NvLink && card.card.peer == false;
  if (no_peer) weakest.way = Way::Far;

  double rate = 0;
  if (weakest.way == Way::NvLink && !card.card.nvlink.empty()) {
    links.link = card.card.nvlink;
    rate = card.kind->nvlink_gb_per_second.value_or(0) * used_nvlinks(weakest, card, gpus.size());
  } else {
    const Pcie pcie = pcie_of(*card.kind);
    rate = pcie.gb_per_second;
    links.link = weakest.mixed && weakest.way != Way::Far
                     ? "bridges"
                     : pcie_row(weakest, card, pcie.generation);
  }
  links.nccl = scaled(link_law(links.link, "nccl", links.ranks), rate);
  links.send = scaled(link_law(links.link, "send", 2), rate);
  // Engines allow their own kernels for two ranks with peer access, and for 2, 4, 6 or 8 with
  // NVLink between all.
  const bool pair = links.ranks == 2 && weakest.way != Way::Far;
  const bool full = weakest.way == Way::NvLink && links.ranks % 2 == 0 && links.ranks <= 8;
  if (pair || full) links.own = scaled(link_law(links.link, "engine", links.ranks), rate);
  return links;
}

}  // namespace sx
