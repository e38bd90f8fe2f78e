// Texts beside the weights that no engine can read: what is wrong with them, and where.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "facts/model_spec.h"
#include "sys/files.h"

namespace sx {

// Of a file that is a source already: nothing, the one fault that ends the reading, or the values
// of a config that are of a kind no engine can use.
std::vector<DamagedText> damage_of(const Sources& sources, int source, DamagedText::Of of);

// Adds what is wrong with the tokenizer's files in the folder, and where the index that could not
// be used is wrong; a damaged one becomes a source.
void look_at_tokenizer(ModelSpec& model, Sources& sources, const Files& files,
                       const std::string& folder);
void look_at_index(ModelSpec& model, Sources& sources, const Files& files,
                   const std::string& folder);

}  // namespace sx
