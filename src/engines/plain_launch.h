// How an engine's server is started with a model and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

// "vllm", "serve", MODEL. Empty for a name that is no engine with a command line of its own.
std::vector<std::string> plain_launch(std::string_view engine, const std::string& model);

}  // namespace sx
