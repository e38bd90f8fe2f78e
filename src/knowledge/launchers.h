// Programs that start another one several times (data/launchers.tsv).
#pragma once

#include <string_view>
#include <vector>

namespace sx {

struct Launcher {
  std::string_view name;                   // "mpirun"
  bool mpi = false;                        // its copies are ranks of MPI
  std::vector<std::string_view> counts;    // options that say how many are started: "-np"
  std::vector<std::string_view> machines;  // and on how many machines
};

// By its name without folders; null when it is none.
const Launcher* find_launcher(std::string_view program);

}  // namespace sx
