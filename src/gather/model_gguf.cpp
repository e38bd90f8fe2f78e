// One model out of a folder of GGUF files: its parts in order, their states, and the sum of their
// tensors.
#include "gather/model_gguf.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "gather/model_places.h"
#include "gather/model_weight_files.h"

namespace sx {
namespace {

constexpr std::size_t kMostParts = 1000;  // of a split file; the largest published have about 50

constexpr Text kSeveral{"{folder} holds several GGUF models: {files}",
                        "{folder} 中有多个 GGUF 模型：{files}"};
constexpr Text kUnreadable{"{file}: {what}", "{file}：{what}"};
constexpr Text kPartly{"not all weight files could be read", "有的权重文件无法读取"};

// The image part lies beside its model and is no model.
bool is_image_part(std::string_view name) {
  return lower(name).find("mmproj") != std::string::npos;
}

// The first parts of split files, and whole files, in order; parts without a first stand for it.
std::vector<std::string> models_among(const std::vector<std::string>& names) {
  std::set<std::string> models;
  for (const std::string& name : names) {
    if (!lower(name).ends_with(".gguf") || is_image_part(name)) continue;
    const auto shard = shard_name(name);
    models.insert(shard ? shard_file(*shard, 1) : name);
  }
  return {models.begin(), models.end()};
}

bool has_tag(std::string_view name, std::string_view tag) {
  const std::string lowered = lower(name);
  const std::string wanted = lower(tag);
  for (std::size_t at = lowered.find(wanted); at != std::string::npos;
       at = lowered.find(wanted, at + 1)) {
    const bool begins =
        at > 0 && (lowered[at - 1] == '-' || lowered[at - 1] == '.' || lowered[at - 1] == '_');
    const std::size_t end = at + wanted.size();
    const bool ends = end == lowered.size() || lowered[end] == '.' || lowered[end] == '-';
    if (begins && ends) return true;
  }
  return false;
}

// As llama.cpp chooses in a repository: the tag, without one Q4_K_M, else the first.
std::optional<std::string> chosen(const std::vector<std::string>& models, const GgufAsk& ask,
                                  bool repository) {
  if (models.size() == 1 && ask.tag.empty()) return models.front();
  const std::string_view tag = ask.tag.empty() ? "Q4_K_M" : std::string_view(ask.tag);
  if (!repository && ask.tag.empty()) return {};
  for (const std::string& name : models) {
    if (has_tag(name, tag)) return name;
  }
  if (!ask.tag.empty() || models.empty()) return {};
  return models.front();
}

std::vector<std::string> parts_of(const std::string& first) {
  const auto shard = shard_name(first);
  if (!shard) return {first};
  std::vector<std::string> parts;
  for (int number = 1; number <= shard->of && parts.size() < kMostParts; ++number)
    parts.push_back(shard_file(*shard, number));
  return parts;
}

struct Parts {
  std::vector<std::optional<GgufHeader>> headers;
  bool whole = true;
};

Parts read_parts(ModelSpec& model, const Files& files, const std::string& folder,
                 const std::vector<std::string>& names) {
  Parts parts;
  for (const std::string& name : names) {
    std::optional<GgufHeader> header;
    model.files.push_back(read_gguf(files, folder, name, header));
    parts.whole = parts.whole && model.files.back().state == FileState::Ok;
    parts.headers.push_back(std::move(header));
  }
  return parts;
}

// What llama.cpp holds against the parts: each tells its number and how many there are, and names
// follow from these.
Both split_fault(const std::string& asked, const std::vector<std::string>& names,
                 const Parts& parts) {
  const auto& first = parts.headers.front();
  const auto shard = shard_name(asked);
  if (shard && shard->number != 1) {
    const std::string number = std::to_string(shard->number);
    const std::string of = std::to_string(shard->of);
    return {asked + " is part " + number + " of " + of + "; the first part must be named",
            asked + " 是第 " + number + " 个分片（共 " + of + " 个），必须指定第一个分片"};
  }
  if (!first) return {};
  const std::int64_t count = first->integer("split.count").value_or(0);
  const std::string said = std::to_string(count);
  if (count > 1 && !shard) {
    return {asked + " is one of " + said + " parts, which its name does not say",
            asked + " 是 " + said + " 个分片之一，文件名却没有体现"};
  }
  if (shard && shard->of > 1 && count != shard->of) {
    const std::string named = std::to_string(shard->of);
    return {asked + " names " + named + " parts, its header " + said,
            asked + " 的文件名写 " + named + " 个分片，文件头写 " + said + " 个"};
  }
  const auto promised = first->integer("split.tensors.count");
  if (!promised || !parts.whole) return {};
  std::int64_t tensors = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tensors += static_cast<std::int64_t>(parts.headers[i]->tensors.size());
    const auto number = parts.headers[i]->integer("split.no");
    if (count > 1 && number != static_cast<std::int64_t>(i))
      return {names[i] + " says in its header that it is another part",
              names[i] + " 的文件头说它是另一个分片"};
  }
  if (count <= 1 || tensors == *promised) return {};
  return {"the parts hold " + std::to_string(tensors) + " tensors, the first tells of " +
              std::to_string(*promised),
          "各分片共有 " + std::to_string(tensors) + " 个张量，第一个分片声明的是 " +
              std::to_string(*promised) + " 个"};
}

void sum_up(ModelSpec& model, Parts parts) {
  Bytes bytes;
  double elements = 0;
  bool sized = true;
  for (auto& header : parts.headers) {
    if (!header) continue;
    sized = sized && header->data_end.has_value();
    for (TensorInfo& tensor : header->tensors) {
      bytes += tensor.bytes;
      double product = 1;
      for (const std::int64_t size : tensor.shape) product *= static_cast<double>(size);
      elements += product;
      model.tensors.push_back(std::move(tensor));
    }
  }
  const bool all = std::ranges::all_of(parts.headers, [](const auto& one) { return bool(one); });
  const bool known = all && sized && elements > 0;
  model.checkpoint_bytes =
      known ? Fact<Bytes>(bytes, Origin::Header) : Fact<Bytes>::unknown(kPartly);
  model.parameters_billion = all && elements > 0 ? Fact<double>(elements / 1e9, Origin::Header)
                                                 : Fact<double>::unknown(kPartly);
  if (known && model.is_quantised()) {
    Quantisation quant = model.quantisation.value();
    quant.bits = static_cast<double>(bytes.count()) * 8 / elements;
    model.quantisation = {std::move(quant), Origin::Header};
  }
  if (!all) return;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(model.tensors,
                               [&](const TensorInfo& tensor) { return tensor.name == name; });
  };
  model.tied_embeddings = {!has("output.weight"), Origin::Header};
  model.qkv_bias = {has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias"), Origin::Header};
}

void read_chosen(ModelSpec& model, const Files& files, const std::string& folder,
                 const std::string& asked) {
  const auto shard = shard_name(asked);
  const std::string first = shard ? shard_file(*shard, 1) : asked;
  const std::vector<std::string> names = parts_of(first);
  Parts parts = read_parts(model, files, folder, names);
  model.split_problem = split_fault(asked, names, parts);
  if (shard && shard->number != 1) model.split_first = joined_path(folder, first);
  if (parts.headers.front()) {
    read_gguf_keys(model, *parts.headers.front());
  } else if (!model.files.front().detail.english.empty()) {
    model.why_unknown = {kUnreadable, {{"file", first}, {"what", model.files.front().detail}}};
  }
  sum_up(model, std::move(parts));
}

}  // namespace

void read_gguf_model(ModelSpec& model, const Files& files, const GgufAsk& ask) {
  model.weight_format = {"gguf", Origin::Header};
  if (!ask.file.empty()) return read_chosen(model, files, ask.folder, ask.file);
  const auto names = files.list(ask.folder);
  const auto models = names ? models_among(*names) : std::vector<std::string>{};
  const bool repository = model.from == ModelFrom::Cache;
  if (const auto name = chosen(models, ask, repository))
    return read_chosen(model, files, ask.folder, *name);
  for (const std::string& name : models)
    model.files.push_back(look_at_weights(files, ask.folder, name));
  if (models.size() > 1)
    model.why_unknown = {kSeveral, {{"folder", ask.folder}, {"files", join(models, ", ")}}};
}

}  // namespace sx
