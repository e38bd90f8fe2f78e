// Rows of constants fitted to measured collectives, read once when a plan first asks for a speed.
#include "knowledge/link_laws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

struct LinkRow {
  int ranks = 0;
  LinkLaw law;
};

// By link and path: a search for layouts asks thousands of times.
using LinkRows = std::map<std::pair<std::string_view, std::string_view>, std::vector<LinkRow>>;

const LinkRows& link_rows() {
  static const LinkRows rows = [] {
    const Table table(table_bytes("data/speed/collectives.tsv"));
    const RowReader<7> reader(table, {"link", "path", "ranks", "latency_us", "gb_per_second",
                                      "exponent", "reference_gb_per_second"});
    LinkRows all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      const auto number = [&](std::size_t at) { return number_cell(cells[at]).value_or(0); };
      all[{cells[0], cells[1]}].push_back({.ranks = static_cast<int>(number(2)),
                                           .law = {.latency_us = number(3),
                                                   .gb_per_second = number(4),
                                                   .exponent = number(5),
                                                   .reference_gb_per_second = number(6)}});
    }
    return all;
  }();
  return rows;
}

LinkLaw between(const LinkRow& below, const LinkRow& above, int ranks) {
  const double part = static_cast<double>(ranks - below.ranks) / (above.ranks - below.ranks);
  const auto mixed = [part](double a, double b) { return a + (b - a) * part; };
  return {.latency_us = mixed(below.law.latency_us, above.law.latency_us),
          .gb_per_second = mixed(below.law.gb_per_second, above.law.gb_per_second),
          .exponent = mixed(below.law.exponent, above.law.exponent),
          .reference_gb_per_second = below.law.reference_gb_per_second};
}

}  // namespace

std::optional<LinkLaw> link_law(std::string_view link, std::string_view path, int ranks) {
  const LinkRow* below = nullptr;
  const LinkRow* above = nullptr;
  const auto found = link_rows().find({link, path});
  if (found == link_rows().end()) return {};
  for (const LinkRow& row : found->second) {
    if (row.ranks <= ranks && (below == nullptr || row.ranks > below->ranks)) below = &row;
    if (row.ranks >= ranks && (above == nullptr || row.ranks < above->ranks)) above = &row;
  }
  if (below == nullptr && above == nullptr) return {};
  if (below == nullptr) return above->law;
  if (above == nullptr) {
    LinkLaw law = below->law;
    law.latency_us *= static_cast<double>(ranks) / below->ranks;
    return law;
  }
  if (below == above) return below->law;
  return between(*below, *above, ranks);
}

std::optional<double> pcie_all_reduce_us(std::string_view link, int ranks, Bytes message) {
  if (ranks < 2) return {};
  const auto law = link_law(link, ranks == 2 ? "engine" : "nccl", ranks);
  if (!law || law->gb_per_second <= 0 || law->exponent <= 0) return {};
  // Small messages take the latency, large ones the transfer.
  const double transfer = static_cast<double>(message.count()) / (law->gb_per_second * 1000);
  return std::pow(std::pow(law->latency_us, law->exponent) + std::pow(transfer, law->exponent),
                  1 / law->exponent);
}

}  // namespace sx
