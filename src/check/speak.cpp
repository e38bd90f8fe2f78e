// Words that rules share when they name where a number came from.
#include "check/speak.h"

#include <algorithm>

#include "knowledge/engine_names.h"
#include "knowledge/foreign_flags.h"

namespace sx {

void mark(Diagnostic& d, const Span& span, Message text) {
  if (span.source >= 0) d.labels.push_back({span, std::move(text), d.labels.empty()});
}

Text model_origin(const ModelSpec& model) {
  if (model.layers.known() && model.layers.origin() == Origin::Header)
    return {"header of the GGUF file", "GGUF 文件头"};
  switch (model.from) {
    case ModelFrom::Nowhere:
      return {"unknown", "未知"};
    case ModelFrom::Catalogue:
      return {"built-in catalogue", "内置数据"};
    case ModelFrom::Directory:
      return {"config.json of the model folder", "模型目录的 config.json"};
    case ModelFrom::Cache:
      return {"config.json in the local cache", "本地缓存的 config.json"};
    case ModelFrom::Hub:
      return {"config.json on the hub", "模型站点上的 config.json"};
  }
  SX_UNREACHABLE("a model from nowhere known");
}

Text host_origin(const HostSpec& host) {
  switch (host.from) {
    case HostFrom::Named:
      return {"catalogue of GPUs", "GPU 数据表"};
    case HostFrom::File:
      return {"the machine file", "机器文件"};
    case HostFrom::Live:
      return {"read from the driver", "读自驱动"};
  }
  SX_UNREACHABLE("a host from nowhere known");
}

std::string engine_name(const ServeSpec& serve) { return std::string(shown_engine(serve.engine)); }

std::string engine_and_version(const ServeSpec& serve) {
  return engine_name(serve) + ' ' + serve.version.text();
}

std::string own_flag(const ServeSpec& serve, std::string_view common) {
  std::string own = own_name(serve.engine, common);
  return own.empty() ? std::string(common) : own;
}

Text of_engine(const ServeSpec& serve, std::span<const OfEngine> texts, Text otherwise) {
  const auto own = std::ranges::find(texts, serve.engine, &OfEngine::engine);
  return own == texts.end() ? otherwise : own->text;
}

}  // namespace sx
