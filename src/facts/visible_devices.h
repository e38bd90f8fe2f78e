// Which of the host's GPUs a launch sees, as the CUDA runtime reads CUDA_VISIBLE_DEVICES.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/host_spec.h"
#include "facts/serve_spec.h"

namespace sx {

struct VisibleDevices {
  bool known = false;                 // false: host unknown, or a mask that cannot be resolved here
  std::vector<int> gpus;              // host indices in the order of the process's own numbering;
                                      // those that a launch passes over are not among them
  bool masked = false;                // a mask is set
  std::vector<std::string> entries;   // of the mask, as typed
  std::vector<std::string> repeated;  // entries that occur twice
  std::vector<std::string>
      out_of_range;  // indices or UUIDs that the host does not have; CUDA stops at the first
  bool by_uuid = false;
  bool negative = false;      // an entry like -1 or NoDevFiles, which ends the list on purpose
  bool order_unsure = false;  // unlike cards without CUDA_DEVICE_ORDER=PCI_BUS_ID: `gpus` is in PCI
                              // order all the same
};

// "GPU-…", "MIG-…": a card or a part of one by its name, not by its number.
bool names_uuid(std::string_view entry);

VisibleDevices visible_devices(const ServeSpec& serve, const HostSpec& host);

}  // namespace sx
