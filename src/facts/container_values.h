// The small languages of container options: ports, mounts, GPU requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/surroundings.h"

namespace sx {

std::optional<Mount> volume_mount(std::string_view text);           // "/data/models:/models:ro"
std::optional<Mount> option_mount(std::string_view text);           // "type=bind,src=/a,dst=/b"
std::vector<PublishedPort> published_ports(std::string_view text);  // "127.0.0.1:8000:8000/tcp"

// --gpus: comma-separated fields; quotes keep a list of devices together.
struct GpuRequest {
  bool all = false;
  std::optional<int> count;
  std::vector<std::string> devices;  // "0", "GPU-8f5c…"
  bool count_and_devices = false;    // device=0,1 without quotes: the second is read as a count
  bool understood = true;
};
GpuRequest gpu_request(std::string_view text);

}  // namespace sx
