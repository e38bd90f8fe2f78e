// Model and machine of `sextant.plan/1`.
#include "cli/plan_json_parts.h"

#include "diag/json_parts.h"

namespace sx {
namespace {

namespace json = boost::json;

json::value number_or_null(const Fact<Bytes>& bytes) {
  return bytes.known() ? json::value(bytes.value().count()) : json::value(nullptr);
}

std::string_view from_word(ModelFrom from) {
  switch (from) {
    case ModelFrom::Nowhere:
      return "unknown";
    case ModelFrom::Catalogue:
      return "catalogue";
    case ModelFrom::Directory:
      return "directory";
    case ModelFrom::Cache:
      return "cache";
    case ModelFrom::Hub:
      return "hub";
  }
  return "unknown";
}

}  // namespace

json::object model_entry(const ModelSpec& model) {
  json::object entry{{"id", json_text(model.id)}};
  entry["dtype"] =
      model.dtype.known() ? json::value(json_text(model.dtype.value())) : json::value(nullptr);
  const auto& quant = model.quantisation;
  entry["quant"] = !quant.known()                 ? json::value(nullptr)
                   : quant.value().method.empty() ? json::value("none")
                                                  : json::value(json_text(quant.value().method));
  entry["parameters"] =
      model.parameters_billion.known()
          ? json::value(static_cast<std::int64_t>(model.parameters_billion.value() * 1e9 + 0.5))
          : json::value(nullptr);
  entry["source"] = json::string(from_word(model.from));
  return entry;
}

json::object machine_entry(const HostSpec& host) {
  json::array gpus;
  for (const Gpu& gpu : host.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"name", json_text(gpu.name.value_or(""))},
                    {"memory_bytes", number_or_null(gpu.memory)},
                    {"usable_bytes", number_or_null(gpu.usable)}});
  }
  return {{"name", json_text(host.name)},
          {"gpus", std::move(gpus)},
          {"links_known", host.links.known()}};
}

}  // namespace sx
