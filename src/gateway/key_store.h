// The file of keys on disk: read with care, changed whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/key_file.h"

namespace sx {

// How a file looks from outside. The same look: it has not been changed since.
struct FileLook {
  bool there = false;
  std::int64_t seconds = 0, nanoseconds = 0, size = 0;
  unsigned mode = 0;  // who may read it is a part of that
  std::uint64_t node = 0;
  bool operator==(const FileLook&) const = default;
};
FileLook look_at(const std::string& path);

// At most 4 MiB. Refused when others than its owner and group may read it, or others than its owner
// may write it. A group may read it because Kubernetes hands secrets to a pod's group.
Result<std::vector<KeyRow>> load_keys(const std::string& path);

// Reads it, lets `change` make the next table of it, writes that: nobody else changes it meanwhile.
// A file that is not there yet is empty; it is made for its owner alone.
Result<void> change_keys(const std::string& path,
                         const std::function<Result<void>(std::vector<KeyRow>&)>& change);

// The time of day as a file of keys has it: "2026-11-30T08:00:00Z".
std::string now_of_key();

}  // namespace sx
