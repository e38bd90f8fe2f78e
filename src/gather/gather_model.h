// From a path or hub id to what the model is: folder, local caches, built-in catalogue, in this
// order.
#pragma once

#include <string>

#include "base/source.h"
#include "facts/model_spec.h"
#include "gather/outside.h"

namespace sx {

// Never fails: what cannot be read is unknown, with the reason. Adds config.json as a source so
// that it can be underlined.
// With Outside::http a model that does not lie here is looked for on the hub, in that revision.
ModelSpec gather_model(Sources& sources, const std::string& model, const Outside& outside,
                       const std::string& revision = {});

// config.json → facts, apart from files; for tests and for configs given alone. `from` stays
// Nowhere, with the reason in `why_unknown`, when the text is no JSON object.
ModelSpec model_from_config(const Sources& sources, int source);

}  // namespace sx
