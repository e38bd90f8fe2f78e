// Which files make up a checkpoint, as the loaders choose them: by the index where there is one,
// else all of the format; safetensors before pytorch before gguf (vLLM,
// model_loader/default_loader.py: _prepare_weights).
#include "gather/model_weights.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/strings.h"
#include "gather/model_gguf.h"
#include "gather/model_places.h"
#include "gather/model_weight_files.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr Bytes kIndexLimit = mib(64);
constexpr std::size_t kMostListed = 10'000;  // tensors in the wrong file: more tell nothing new

constexpr Text kNoWeights{"the folder has no weight files", "目录中没有权重文件"};
constexpr Text kPartly{"not all weight files could be read", "有的权重文件无法读取"};
constexpr Text kPacked{"the tensors are packed, so their elements are not the parameters",
                       "张量经过打包，元素个数不等于参数个数"};

struct Index {
  std::string text;  // owns the bytes of the document
  JsonDocument document;
  std::set<std::string> files;
  std::optional<Bytes> total;
};

// A name that stays inside the folder.
bool stays_inside(std::string_view name) {
  if (name.empty() || name.starts_with('/') || name.find('\0') != std::string_view::npos)
    return false;
  return std::ranges::none_of(split(name, '/'), [](std::string_view part) { return part == ".."; });
}

Both of_index(const std::string& path, const Error& error) {
  return {path + ": " + error.what, path + "：" + error.chinese};
}

Result<void> read_index(Index& index, const Files& files, const std::string& path) {
  SX_TRY(index.text, files.read(path, kIndexLimit));
  SX_TRY(index.document, JsonDocument::parse(index.text));
  if (!index.document.notes().empty()) {
    if (const auto fault = JsonDocument::refused_by_python(index.text))
      return fail(Error::Kind::Damaged, fault->what);
  }
  const JsonValue map = index.document.root()["weight_map"];
  if (!map.is(JsonKind::Object))
    return fail(Error::Kind::Damaged, "it has no weight_map", "其中没有 weight_map");
  std::string_view last;
  for (JsonValue entry = map.first(); entry; entry = entry.next()) {
    if (entry.raw() == last) continue;
    last = entry.raw();
    if (auto file = entry.string()) index.files.insert(*std::move(file));
  }
  const auto total = index.document.root()["metadata"]["total_size"].integer();
  if (total && *total > 0) index.total = Bytes{*total};
  return {};
}

std::string index_name(const std::vector<std::string>& names, std::string_view ending) {
  const std::string usual = "model" + std::string(ending);
  if (std::ranges::binary_search(names, usual)) return usual;
  for (const std::string& name : names) {
    if (name.ends_with(ending) && !name.starts_with("consolidated")) return name;
  }
  return {};
}

std::vector<std::string> ending_with(const std::vector<std::string>& names,
                                     std::string_view ending) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](const std::string& name) { return name.ends_with(ending); });
  return found;
}

struct Safetensors {
  std::vector<std::string> model, second_copy;
};

// Mistral ships the same weights a second time as consolidated*.safetensors; adapters are no part
// of the model.
Safetensors safetensors_of(const std::vector<std::string>& names) {
  std::vector<std::string> found = ending_with(names, ".safetensors");
  std::erase_if(found, [](const std::string& name) { return name.starts_with("adapter_"); });
  const auto is_second = [](const std::string& name) { return name.starts_with("consolidated"); };
  if (std::ranges::all_of(found, is_second)) return {.model = std::move(found), .second_copy = {}};
  std::vector<std::string> copy;
  std::ranges::copy_if(found, std::back_inserter(copy), is_second);
  std::erase_if(found, is_second);
  return {.model = std::move(found), .second_copy = std::move(copy)};
}

// Tensors by file while headers are read.
struct Headers {
  std::vector<TensorInfo> tensors;
  std::vector<std::size_t> ends;  // for each entry of `readable`: one past its last tensor
  std::vector<std::string> readable;
  bool complete = true;  // no file of the checkpoint is without a readable header
};

void read_one(ModelSpec& model, Headers& headers, const Files& files, const std::string& folder,
              const std::string& name) {
  if (!stays_inside(name)) {
    headers.complete = false;
    model.files.push_back(
        {.path = name,
         .state = FileState::Missing,
         .detail = {"the index points outside the model's folder", "索引指向模型目录之外"}});
    return;
  }
  const std::size_t before = headers.tensors.size();
  model.files.push_back(read_safetensors(files, folder, name, headers.tensors));
  const bool has_header =
      headers.tensors.size() > before || model.files.back().state == FileState::Ok;
  headers.complete = headers.complete && has_header;
  if (!has_header) return;
  headers.readable.push_back(name);
  headers.ends.push_back(headers.tensors.size());
}

// What the index promises of files that were read.
std::vector<std::string> broken_promises(const Index& index, const Headers& headers) {
  std::unordered_map<std::string_view, std::size_t> file_of;
  file_of.reserve(headers.tensors.size());
  std::size_t tensor = 0;
  for (std::size_t file = 0; file < headers.ends.size(); ++file) {
    for (; tensor < headers.ends[file]; ++tensor)
      file_of.try_emplace(headers.tensors[tensor].name, file);
  }
  std::vector<std::string> broken;
  const JsonValue map = index.document.root()["weight_map"];
  for (JsonValue entry = map.first(); entry && broken.size() < kMostListed; entry = entry.next()) {
    const auto found = file_of.find(entry.raw_key());
    const std::string_view quoted = entry.raw();
    const std::string_view wanted =
        quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
    if (found != file_of.end() && headers.readable[found->second] == wanted) continue;
    // Rare: an escaped name, a file that could not be read, or a promise that is broken.
    const std::string name = entry.key();
    const std::string file = entry.string().value_or("");
    const auto escaped = file_of.find(name);
    if (escaped != file_of.end() && headers.readable[escaped->second] == file) continue;
    if (std::ranges::find(headers.readable, file) != headers.readable.end()) broken.push_back(name);
  }
  return broken;
}

void sum_up(ModelSpec& model, const Headers& headers, const std::optional<Bytes>& total) {
  if (!headers.complete || headers.tensors.empty()) {
    model.checkpoint_bytes =
        total ? Fact<Bytes>(*total, Origin::Config) : Fact<Bytes>::unknown(kPartly);
    model.parameters_billion = Fact<double>::unknown(kPartly);
    return;
  }
  Bytes bytes;
  double elements = 0;
  for (const TensorInfo& tensor : headers.tensors) {
    bytes += tensor.bytes;
    double product = 1;
    for (const std::int64_t size : tensor.shape) product *= static_cast<double>(size);
    elements += product;
  }
  model.checkpoint_bytes = {bytes, Origin::Header};
  const bool plain = model.quantisation.known() && !model.is_quantised();
  model.parameters_billion =
      plain ? Fact<double>(elements / 1e9, Origin::Header) : Fact<double>::unknown(kPacked);
}

void read_safetensors_checkpoint(ModelSpec& model, const Files& files, const std::string& folder,
                                 const std::vector<std::string>& present,
                                 const std::string& index_path) {
  Index index;
  bool indexed = !index_path.empty();
  if (indexed) {
    if (const auto read = read_index(index, files, joined_path(folder, index_path)); !read) {
      model.index_problem = of_index(index_path, read.error());
      model.index_file = index_path;
      indexed = false;
    }
  }
  Headers headers;
  headers.tensors.reserve(indexed ? index.document.root()["weight_map"].size() : 0);
  std::set<std::string> all(present.begin(), present.end());
  for (const std::string& name : indexed ? index.files : std::set<std::string>{}) all.insert(name);
  for (const std::string& name : indexed ? std::vector<std::string>{} : shards_missing(present))
    all.insert(name);
  for (const std::string& name : all) {
    if (!indexed || index.files.contains(name)) {
      read_one(model, headers, files, folder, name);
      continue;
    }
    const auto info = files.info(joined_path(folder, name));
    model.files.push_back(
        {.path = name, .bytes = info ? info->bytes : Bytes{}, .state = FileState::Extra});
  }
  if (indexed) model.index_without_file = broken_promises(index, headers);
  sum_up(model, headers, index.total);
  model.tensors = std::move(headers.tensors);
}

// pytorch_model*.bin: whether they are there and no pointers; their insides are not read.
void read_other_checkpoint(ModelSpec& model, const Files& files, const std::string& folder,
                           const std::vector<std::string>& present, const std::string& index_path) {
  std::set<std::string> all(present.begin(), present.end());
  for (const std::string& name : shards_missing(present)) all.insert(name);
  Index index;
  if (!index_path.empty()) {
    const auto read = read_index(index, files, joined_path(folder, index_path));
    if (!read) {
      model.index_problem = of_index(index_path, read.error());
      model.index_file = index_path;
    }
    for (const std::string& name : index.files) {
      if (stays_inside(name)) all.insert(name);
    }
  }
  Bytes sum;
  bool whole = true;
  for (const std::string& name : all) {
    model.files.push_back(look_at_weights(files, folder, name));
    sum += model.files.back().bytes;
    whole = whole && model.files.back().state == FileState::Ok;
  }
  model.checkpoint_bytes = whole ? Fact<Bytes>(sum, Origin::Header) : Fact<Bytes>::unknown(kPartly);
}

// What the config says of the shape stays; the files say how they store it.
void read_gguf_beside_config(ModelSpec& model, const Files& files, const std::string& folder) {
  ModelSpec stored;
  stored.from = model.from;
  read_gguf_model(stored, files, {.folder = folder});
  model.weight_format = stored.weight_format;
  model.files = std::move(stored.files);
  model.tensors = std::move(stored.tensors);
  model.split_problem = std::move(stored.split_problem);
  model.checkpoint_bytes = stored.checkpoint_bytes;
  model.parameters_billion = stored.parameters_billion;
  if (stored.quantisation.known()) model.quantisation = stored.quantisation;
}

}  // namespace

void read_weights(ModelSpec& model, const Files& files, const std::string& folder) {
  const auto names = files.list(folder);
  if (!names) {
    model.weight_format =
        Fact<std::string>::unknown({Text{"{what}", "{what}"}, {{"what", names.error().words()}}});
    return;
  }
  const auto format = [&](std::string_view name) {
    model.weight_format = {std::string(name), Origin::Header};
  };
  const auto [safetensors, second_copy] = safetensors_of(*names);
  for (const std::string& name : second_copy) {
    const auto info = files.info(joined_path(folder, name));
    model.second_copy.push_back({.path = name, .bytes = info ? info->bytes : Bytes{}});
  }
  const std::string index = index_name(*names, ".safetensors.index.json");
  if (!safetensors.empty() || !index.empty()) {
    format("safetensors");
    return read_safetensors_checkpoint(model, files, folder, safetensors, index);
  }
  std::vector<std::string> pytorch = ending_with(*names, ".bin");
  std::erase_if(pytorch,
                [](const std::string& name) { return !name.starts_with("pytorch_model"); });
  if (!pytorch.empty() || std::ranges::binary_search(*names, "pytorch_model.bin.index.json")) {
    format("pytorch");
    const bool has_index = std::ranges::binary_search(*names, "pytorch_model.bin.index.json");
    return read_other_checkpoint(model, files, folder, pytorch,
                                 has_index ? "pytorch_model.bin.index.json" : "");
  }
  const std::vector<std::string> gguf = ending_with(*names, ".gguf");
  if (!gguf.empty()) return read_gguf_beside_config(model, files, folder);
  model.weight_format = Fact<std::string>::unknown(kNoWeights);
}

}  // namespace sx
