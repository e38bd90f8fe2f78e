// What the field routes by: the tree of prompts of SGLang's router 0.3.2 (policy cache_aware) as
// its source describes it, with its own defaults.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "unit/gateway/affinity_simulation.h"

namespace sx::simulation {

// All prompts as one tree of characters. Each node belongs to the replica that made it, also after
// others have come by; a prompt is matched by the deepest node that it reaches. Its limit of 67
// million characters a replica is never met here.
class PromptTree {
 public:
  // The owner of the longest match, and its length.
  std::pair<std::size_t, std::size_t> longest(std::string_view text) const {
    const Node* at = &root_;
    std::size_t matched = 0;
    while (!text.empty()) {
      const auto found = at->after.find(text[0]);
      if (found == at->after.end()) break;
      at = found->second.get();
      const std::size_t same = shared(text, at->text);
      matched += same;
      text.remove_prefix(same);
      if (same < at->text.size()) break;
    }
    return {at->owner, matched};
  }

  void put(std::string_view text, std::size_t owner) {
    Node* at = &root_;
    while (!text.empty()) {
      auto& next = at->after[text[0]];
      if (!next) {
        next = std::make_unique<Node>(Node{std::string(text), owner, {}});
        return;
      }
      const std::size_t same = shared(text, next->text);
      if (same < next->text.size()) split(next, same);
      text.remove_prefix(same);
      at = next.get();
    }
  }

 private:
  struct Node {
    std::string text;
    std::size_t owner = 0;
    std::map<char, std::unique_ptr<Node>> after;
  };

  static std::size_t shared(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t same = 0;
    while (most - same >= 64 && std::memcmp(a.data() + same, b.data() + same, 64) == 0) same += 64;
    while (same < most && a[same] == b[same]) ++same;
    return same;
  }
  static void split(std::unique_ptr<Node>& node, std::size_t at) {
    auto front = std::make_unique<Node>(Node{node->text.substr(0, at), node->owner, {}});
    node->text.erase(0, at);
    front->after[node->text[0]] = std::move(node);
    node = std::move(front);
  }

  Node root_;
};

// The longest match when it is more than cache_threshold of the prompt, the fewest requests in
// flight otherwise; and those at once while the counts are apart by more than balance_abs_threshold
// and balance_rel_threshold.
class CacheAware {
 public:
  std::size_t operator()(const Engines& engines, const Request& request) {
    const auto fewer = [](const Engine& a, const Engine& b) { return a.in_flight < b.in_flight; };
    const auto [least, most] = std::ranges::minmax_element(engines, fewer);
    const bool apart =
        most->in_flight - least->in_flight > kAbsolute &&
        static_cast<double>(most->in_flight) > kRelative * static_cast<double>(least->in_flight);
    std::size_t chosen = static_cast<std::size_t>(least - engines.begin());
    const auto [owner, matched] = tree_.longest(request.body);
    const double share = static_cast<double>(matched) / static_cast<double>(request.body.size());
    if (!apart && share > kMatch) chosen = owner;
    tree_.put(request.body, chosen);
    return chosen;
  }

 private:
  static constexpr double kMatch = 0.3, kRelative = 1.5;
  static constexpr std::uint64_t kAbsolute = 64;
  PromptTree tree_;
};

}  // namespace sx::simulation
