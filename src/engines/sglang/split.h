// How SGLang splits a model beside the layout.
#pragma once

#include <optional>

#include "facts/case.h"
#include "fit/layout.h"
#include "fit/splits.h"

namespace sx::sglang {

// Engine::split_ask and Engine::pipeline_supported.
SplitAsk split_ask(const Case& c, const Layout& layout);
std::optional<bool> pipeline_supported(const Case& c);

}  // namespace sx::sglang
