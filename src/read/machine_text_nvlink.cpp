// `nvidia-smi nvlink -s`: "GPU 0: …" and below it "Link 3: 25 GB/s" or "Link 4: <inactive>".
#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr int kMostLinks = 64;  // twice what the newest generation has

// The number of "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-…)".
std::optional<int> gpu_index(std::string_view text) {
  if (!text.starts_with("GPU ")) return {};
  const auto colon = text.find(':');
  if (colon == text.npos) return {};
  const auto index = to_integer(trimmed(text.substr(4, colon - 4)));
  if (!index || *index < 0 || *index >= static_cast<long long>(kMostPastedGpus)) return {};
  return static_cast<int>(*index);
}

}  // namespace

void NvlinkParser::take(const PastedLine& line, PastedParts&) {
  const std::string_view text = trimmed(without_marks(line.text));
  if (const auto index = gpu_index(text)) {
    open_ = gpus.size() < kMostPastedGpus && text.find("(UUID:") != text.npos;
    if (!open_) return;
    PastedGpu gpu;
    gpu.index = *index;
    const auto uuid = text.find("(UUID:");
    const std::string_view rest = trimmed(text.substr(uuid + 6));
    gpu.uuid = std::string(rest.substr(0, rest.find(')')));
    gpus.push_back(std::move(gpu));
    return;
  }
  if (!open_ || !text.starts_with("Link ")) return;
  const auto colon = text.find(':');
  if (colon == text.npos || !to_integer(trimmed(text.substr(5, colon - 5)))) return;
  const std::string_view value = trimmed(text.substr(colon + 1));
  // Other views of `nvlink` have lines of the same front: "Link 0: Replay Errors: 0".
  const bool up = value.ends_with("GB/s");
  if (!up && value.find("nactive") == value.npos) return;
  GpuState<Told>& state = gpus.back().state;
  const int links = state.nvlinks.value.value_or(0);
  if (links >= kMostLinks) return;
  const bool first_down = !up && state.nvlinks_up.value.value_or(0) == links;
  state.nvlinks = {links + 1, state.nvlinks.value ? state.nvlinks.span : line.span};
  const int before = state.nvlinks_up.value.value_or(0);
  // The place to show is that of the first link that is down.
  state.nvlinks_up = {before + (up ? 1 : 0),
                      first_down || !state.nvlinks_up.value ? line.span : state.nvlinks_up.span};
}

}  // namespace sx
