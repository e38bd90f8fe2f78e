// What joins two GPUs, by the class that `nvidia-smi topo -m` prints (data/links.tsv).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sx {

// Best first. Switch: below one PCIe switch; Root: over a host bridge of their own socket; Far:
// over the link between sockets.
enum class LinkWay : std::uint8_t { NvLink, Switch, Root, Far };

struct LinkClass {
  std::string_view name;  // "NV", "PIX"
  int score = 0;          // the weakest pair of a group decides; our order
  int per_link = 0;       // more for each bonded link
  LinkWay way = LinkWay::Far;
  std::string_view meaning, meaning_chinese;
};

// "NV12" is of the class "NV". Null: no class.
const LinkClass* find_link_class(std::string_view printed);

// Of the classes that go this way the one that counts least.
std::optional<int> weakest_score(LinkWay way);

// "NV12": however many of them.
inline bool is_nvlink(std::string_view printed) { return printed.starts_with("NV"); }

}  // namespace sx
