// Each component is read like a checkpoint; a second copy in another number format is no part of
// it.
#include "gather/pipeline.h"

#include <algorithm>

#include "gather/model_places.h"
#include "gather/model_weights.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr Bytes kIndexLimit = mib(1);
constexpr std::size_t kMostParts = 64;  // pipelines have about ten

constexpr Text kVariant{
    "the same weights in another number format, which are loaded only when they "
    "are asked for",
    "同样的权重，另一种数据类型，只有指定时才会加载"};

bool inside(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// "diffusion_pytorch_model.fp16.safetensors" beside "diffusion_pytorch_model.safetensors".
std::string without_variant(const std::string& path) {
  for (const std::string_view variant : {".fp16", ".bf16", ".fp32"}) {
    const auto at = path.find(variant);
    if (at == std::string::npos) continue;
    std::string plain = path;
    return plain.erase(at, variant.size());
  }
  return {};
}

void set_variants_aside(ModelSpec& model) {
  for (WeightFile& file : model.files) {
    const std::string plain = without_variant(file.path);
    const bool second = !plain.empty() && std::ranges::find(model.files, plain,
                                                            &WeightFile::path) != model.files.end();
    if (!second) continue;
    file.state = FileState::Extra;
    file.detail = in_both(kVariant);
  }
}

// Attention heads by the component's own config; unknown where it says none.
Fact<int> heads_of(const std::string& folder, const Files& files) {
  const auto text = files.read(joined_path(folder, "config.json"), kIndexLimit);
  if (!text) return {};
  const auto document = JsonDocument::parse(*text);
  if (!document || !document->root().is(JsonKind::Object)) return {};
  const auto heads = document->root()["num_attention_heads"].integer();
  constexpr std::int64_t kMostHeads = 4096;
  if (!heads || *heads < 1 || *heads > kMostHeads) return {};
  return {static_cast<int>(*heads), Origin::Config};
}

}  // namespace

std::vector<PipelinePart> pipeline_parts(const std::string& folder, const Files& files) {
  std::vector<PipelinePart> parts;
  const auto text = files.read(joined_path(folder, "model_index.json"), kIndexLimit);
  if (!text) return parts;
  const auto document = JsonDocument::parse(*text);
  if (!document || !document->root().is(JsonKind::Object)) return parts;
  for (JsonValue entry = document->root().first(); entry; entry = entry.next()) {
    // "transformer": ["diffusers", "QwenImageTransformer2DModel"]; others are settings.
    if (!entry.is(JsonKind::Array) || parts.size() == kMostParts) continue;
    const JsonValue library = entry.first();
    const JsonValue type = library ? library.next() : JsonValue();
    PipelinePart part{.name = entry.key(),
                      .library = library.string().value_or(""),
                      .type = type ? type.string().value_or("") : "",
                      .files = {}};
    if (part.type.empty() || !inside(part.name)) continue;
    part.files.folder = joined_path(folder, part.name);
    part.there = files.info(part.files.folder).has_value();
    if (part.there) read_weights(part.files, files, part.files.folder);
    if (part.there) part.files.heads = heads_of(part.files.folder, files);
    set_variants_aside(part.files);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sx
