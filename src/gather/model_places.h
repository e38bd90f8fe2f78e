// Where a model lies: a folder of the user's, or the caches that the hubs' own tools fill.
#pragma once

#include <string>

#include "facts/model_spec.h"
#include "gather/outside.h"

namespace sx {

struct ModelPlace {
  ModelFrom from = ModelFrom::Nowhere;  // Directory or Cache when found
  std::string folder;
  std::string file;      // the asked path is this file in the folder; empty: the folder itself
  std::string tag;       // "Q4_K_M" of "org/repo:Q4_K_M"
  bool is_path = false;  // what was asked can only be a path
  Message why;           // of Nowhere
};

ModelPlace find_model(const std::string& model, const Outside& outside);

// "org/repo:Q4_K_M" → "org/repo" and "Q4_K_M"; a name without a tag stays whole.
struct TaggedId {
  std::string id;
  std::string tag;
};
TaggedId tagged_id(const std::string& model);

std::string joined_path(const std::string& folder, std::string_view name);

}  // namespace sx
