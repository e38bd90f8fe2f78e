// Weights that lie in a model's folder a second time, in another format, and that are not loaded.
#pragma once

#include "facts/model_spec.h"
#include "sys/files.h"

namespace sx {

// Adds them to the model's files as Extra, each with what it is. Nothing is added where the folder
// has no weights that are loaded.
void add_second_copies(ModelSpec& model, const Files& files);

}  // namespace sx
