// A launch put into a container image: the `docker run` or `podman run` line that starts it there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gather/gather_command.h"

namespace sx {

// What a deployment file says about the container of a model.
struct ImageSettings {
  std::string image;                 // "vllm/vllm-openai:v0.11.0"; empty: no container
  std::string program = "docker";    // or "podman"
  std::vector<std::string> mounts;   // "/data/models:/models:ro"
  int shm_gib = 0;                   // of /dev/shm inside; 0: the machine's own
  bool host_network = false;         // false: its port is published to this machine alone
  std::vector<std::string> options;  // further words of docker or podman, as they are
  bool operator==(const ImageSettings&) const = default;
};

struct ImageAsk {
  ImageSettings settings;
  bool gpus = false;                               // the machine has some: they are handed in
  std::map<std::string, std::string> environment;  // ours: what the engine reads of it goes inside
  std::string folder;                              // relative paths begin there
};

// The words of the line. The model and the caches of downloads lie inside where they lie outside.
// An error where the launch stands in a container already, or an option takes the image's place.
Result<std::vector<std::string>> image_command(const Launch& launch, const ImageAsk& ask,
                                               const Files& files);

// Whether that variable of ours means the same inside a container: what the engine or a library
// below it reads, and no path.
bool passed_into_container(std::string_view engine, std::string_view name, std::string_view value);

}  // namespace sx
