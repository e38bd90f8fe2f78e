// Where a path that a launch names lies on this machine, as far as that can be told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gather/gather_command.h"

namespace sx {

struct PlaceHere {
  std::string path;    // whole
  std::string beside;  // another place where it may lie; empty: none
  Message unsure;      // why the launch may look elsewhere; empty: it looks there
};

// Nothing: the launch sees other folders than this machine's, or its own folder is not known.
std::optional<PlaceHere> place_here(const Launch& launch, const Sources& sources,
                                    const Outside& outside, std::string_view path);

// The name by which its model is read on this machine: by mounts and working folder where they say
// so, else as the launch has it.
std::string model_name_here(const Launch& launch, const Sources& sources, const Outside& outside);

// The folder in which relative paths of a manifest begin.
std::string folder_of_manifest(const Launch& launch, const Sources& sources,
                               const Outside& outside);

}  // namespace sx
