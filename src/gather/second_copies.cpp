// Publishers put the same weights into one repository in several formats; loaders take one of them.
#include "gather/second_copies.h"

#include <algorithm>
#include <array>
#include <set>

#include "gather/model_places.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 7> kEndings{".safetensors", ".bin", ".pt",     ".pth",
                                                   ".gguf",        ".h5",  ".msgpack"};
constexpr Bytes kSmallest = mib(1);  // settings of a trainer have such names too
constexpr std::size_t kMostCopies = 1'000;

constexpr Text kSecond{"not loaded: the weights are there as {format}",
                       "不会加载：权重已有 {format} 格式"};

bool is_weights(std::string_view name) {
  return std::ranges::any_of(kEndings,
                             [name](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

void add_second_copies(ModelSpec& model, const Files& files) {
  const std::string format = model.weight_format.value_or("");
  if (model.folder.empty() || model.files.empty() || format.empty() || format == "gguf") return;
  const auto names = files.list(model.folder);
  if (!names) return;
  std::set<std::string, std::less<>> known;
  for (const WeightFile& file : model.files) known.insert(file.path);
  std::size_t added = 0;
  for (const std::string& name : *names) {
    if (!is_weights(name) || known.contains(name) || name.starts_with("adapter_")) continue;
    const auto info = files.info(joined_path(model.folder, name));
    if (!info || info->kind != FileInfo::Kind::File || info->bytes < kSmallest) continue;
    if (++added > kMostCopies) return;
    model.files.push_back({.path = name,
                           .bytes = info->bytes,
                           .state = FileState::Extra,
                           .detail = in_both({kSecond, {{"format", format}}})});
  }
}

}  // namespace sx
