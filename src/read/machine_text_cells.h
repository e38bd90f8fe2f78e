// The words of a `topo` matrix: labels, classes, statuses, affinities; by their spelling, never by
// their column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

inline constexpr std::size_t kMostTopologyColumns = 128;

// "GPU12" at the front: its length; 0 when it is something else.
std::size_t gpu_label_length(std::string_view text);
// Where the first such label stands; npos when there is none.
std::size_t find_gpu_label(std::string_view text);

// Length of the class ("NV12", "PIX") or status ("GNS") at the front; 0: none.
std::size_t topology_word_length(std::string_view text);
bool is_link_status(std::string_view word);
// Only classes, statuses and affinities: the wrapped rest of a row.
bool is_rest_of_row(std::string_view line);

struct TopologyRow {
  std::vector<std::string>
      cells;               // at most as many as asked; "" where a cell is there and cannot be read
  std::string cpus, numa;  // "" when not printed
  bool cut_short = false;  // the line ended before all cells came
};

// The row of GPU number `own` behind its label. Empty cells: cells are lost in the middle, so none
// can be trusted.
TopologyRow topology_row(std::string_view text, std::size_t own, std::size_t count, bool has_numa);

// Names of the network cards among the columns behind the GPUs; glued ones are parted.
std::vector<std::string> nic_names(std::string_view columns);

}  // namespace sx
