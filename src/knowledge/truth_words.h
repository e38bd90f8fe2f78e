// The words that a reader of switches takes for yes and no (data/truth_words.tsv): each engine, and
// some of their variables, have their own.
#pragma once

#include <optional>
#include <string_view>

namespace sx {

// Readers: "llamacpp", "sglang", "hub", "manifest", and what the column `reads` of vLLM's variables
// names: "one", "true", "one_or_true". Nothing for a word that is none of the reader's.
std::optional<bool> truth_as(std::string_view reader, std::string_view text);

// As the engine reads that variable of its own.
std::optional<bool> variable_truth(std::string_view engine, std::string_view variable,
                                   std::string_view text);

}  // namespace sx
