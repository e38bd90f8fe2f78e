// Where programs keep what they download (data/download_caches.tsv): which variable says it, and
// where it lies when none does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// One place of a cache. Of the rows of a cache, in their order, the first whose variable is set
// holds.
struct DownloadCache {
  std::string_view cache;     // "huggingface"
  std::string_view variable;  // "HF_HOME", "HOME"
  std::string_view below;     // of what it says: ".cache/huggingface"; empty: that itself
  std::vector<std::string_view> models;  // folders of models below the cache, "" for itself;
                                         // empty: it has none
  std::string_view inside;               // the variable that says the cache inside a container
  bool made = false;  // downloads go there, so it counts where it is not there yet
};
std::span<const DownloadCache> download_caches();

// The value of a variable; empty: it is not set.
using VariableOf = std::function<std::string(std::string_view name)>;

struct CachePlace {
  const DownloadCache* row = nullptr;
  std::string folder;  // as the variable says it: may be relative
};
// For each variable that says a cache inside a container: where that lies outside.
std::vector<CachePlace> cache_places(const VariableOf& variable);
// The folders in which a cache has models, in the order in which they are looked at.
std::vector<std::string> model_folders(std::string_view cache, const VariableOf& variable);

}  // namespace sx
