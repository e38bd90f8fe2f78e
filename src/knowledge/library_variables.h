// Environment variables that libraries below the engines read: NCCL, CUDA, PyTorch, the hub client
// (data/library_variables.tsv), and settings that are left over from looking for an error
// (data/debug_variables.tsv).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace sx {

struct LibraryVariable {
  std::string_view name;     // "NCCL_P2P_DISABLE"
  std::string_view library;  // nccl, torch, cuda, hub
  // number (a word counts as 0), level (a name of a distance or a number), words, words_any_case,
  // words_list, algorithms, interfaces, truth, text.
  std::string_view type;
  std::vector<std::string_view> words;  // those it takes, where it takes words
  std::string_view successor;           // of a name that is no longer read: the one that is
  std::string_view meaning, meaning_chinese;
};

std::span<const LibraryVariable> library_variables();  // by name
const LibraryVariable* find_library_variable(std::string_view name);

struct DebugVariable {
  std::string_view name;
  std::string_view when;  // number, word, truth: the value is this one; in_list: among others; set
  std::string_view value;
  std::vector<std::string_view> engines;  // empty: all
  bool warns = false;                     // else advice
  std::string_view cost, cost_chinese;
};

std::span<const DebugVariable> debug_variables();

}  // namespace sx
