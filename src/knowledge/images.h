// Container images of engines (data/images.tsv): what they start, and how a tag tells the version.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace sx {

// "docker.io/vllm/vllm-openai:v0.8.5@sha256:…" in its parts.
struct ImageName {
  std::string_view repository;  // with the registry: "docker.io/vllm/vllm-openai"
  std::string_view tag;         // empty: none was said
  bool digest = false;          // pinned by its digest; a tag beside it is taken at its word
};
ImageName image_name(std::string_view whole);

struct KnownImage {
  std::string_view engine;                   // "vllm"
  std::vector<std::string_view> entrypoint;  // empty: none, the command is given whole
  std::string_view user;                     // empty: not known
  std::vector<std::pair<std::string_view, std::string_view>> environment;  // set by the image
  std::optional<Version> version;  // of the engine, by the tag; empty: the tag does not tell
};

// The image's row for its tag; a tag that tells no version is taken for the newest. Empty: no image
// of an engine that is known, whatever registry it stands in.
std::optional<KnownImage> known_image(std::string_view whole);

}  // namespace sx
