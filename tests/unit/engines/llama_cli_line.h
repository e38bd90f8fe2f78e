// A llama-server command line in a test; words, spans and problems as in vllm_cli_line.h.
#pragma once

#include <string>
#include <utility>

#include "engines/llamacpp/llamacpp.h"
#include "knowledge/flags.h"
#include "vllm_cli_line.h"

namespace sx::testing_llama {

using testing_vllm::command_of;
using testing_vllm::problems;
using testing_vllm::Understood;

inline Version newest() { return engine_flags("llamacpp")->newest(); }

inline Understood understood(Understood all) {
  all.serve = llamacpp::understand(all.command, newest(), all.sources, {});
  return all;
}

// `words`: what stands behind "llama-server".
inline Understood read(const std::string& words,
                       const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  Understood all;
  all.command = command_of(all.sources, "llama-server " + words);
  for (const auto& [name, value] : environment)
    all.command.environment.push_back({.name = name, .value = value});
  return understood(std::move(all));
}

}  // namespace sx::testing_llama
