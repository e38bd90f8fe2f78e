// Models made in memory for tests: configs as sources, safetensors files, folders; and a model told
// in a line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gather/gather_model.h"

namespace sx {

struct MadeTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

// A whole file: header and zeros for the tensors.
inline std::string safetensors_file(const std::vector<MadeTensor>& tensors) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  std::int64_t at = 0;
  for (const MadeTensor& tensor : tensors) {
    std::string shape;
    for (const std::int64_t size : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    header += ",\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(at) + "," +
              std::to_string(at + tensor.bytes) + "]}";
    at += tensor.bytes;
  }
  header += "}";
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return bytes + header + std::string(static_cast<std::size_t>(at), '\0');
}

inline Outside outside_of(const Files& files,
                          std::map<std::string, std::string, std::less<>> environment = {}) {
  environment.try_emplace("HOME", "/home/u");
  Outside outside;
  outside.files = &files;
  outside.environment = Environment(std::move(environment));
  outside.folder = "/srv";
  return outside;
}

inline ModelSpec model_of(const std::string& config) {
  Sources sources;
  const int source = sources.add({.name = "config.json", .text = config});
  return model_from_config(sources, source);
}

inline std::string told(const Fact<int>& fact) {
  return fact.known() ? std::to_string(fact.value()) : "?";
}
inline std::string told(const Fact<bool>& fact) {
  return fact.known() ? (fact.value() ? "yes" : "no") : "?";
}
inline std::string told(const Fact<Tokens>& fact) {
  return fact.known() ? std::to_string(fact.value().count()) : "?";
}
inline std::string told(const Fact<std::string>& fact) { return fact.value_or("?"); }

// "layers x hidden, heads/kv x width, mlp, vocabulary".
inline std::string shape_of(const ModelSpec& m) {
  return told(m.layers) + "x" + told(m.hidden_size) + " " + told(m.heads) + "/" + told(m.kv_heads) +
         "x" + told(m.head_dim) + " " + told(m.intermediate_size) + " " + told(m.vocab_size);
}

// "experts, of which so many a token, x width + shared width, dense layers in front".
inline std::string experts_of(const ModelSpec& m) {
  return told(m.experts) + "/" + told(m.experts_per_token) + "x" + told(m.expert_width) + "+" +
         told(m.shared_expert_width) + " " + told(m.dense_layers_first);
}

inline std::string context_of(const ModelSpec& m) {
  const std::string config =
      m.config_positions.known() ? std::to_string(m.config_positions.value()) : "?";
  const std::string rope = m.rope.known() ? m.rope.value().type : "?";
  return config + " " + (rope.empty() ? "-" : rope) + " " + told(m.max_positions) + " window " +
         told(m.sliding_window);
}

// Runs of equal kinds: "3 linear_attention, 1 full_attention, …".
inline std::string layers_of(const ModelSpec& m) {
  std::string out;
  for (std::size_t i = 0; i < m.layer_types.size();) {
    std::size_t end = i;
    while (end < m.layer_types.size() && m.layer_types[end] == m.layer_types[i]) ++end;
    out += (out.empty() ? "" : ", ") + std::to_string(end - i) + " " + m.layer_types[i];
    i = end;
  }
  return out;
}

inline std::string quant_of(const ModelSpec& m) {
  if (!m.quantisation.known()) return "?";
  const Quantisation& q = m.quantisation.value();
  if (q.method.empty()) return "none";
  std::string out = q.method;
  if (!q.format.empty()) out += ":" + q.format;
  if (q.bits) out += " " + std::to_string(static_cast<int>(*q.bits));
  if (q.group_size) out += " group " + std::to_string(*q.group_size);
  if (q.block_rows && q.block_columns)
    out += " block " + std::to_string(*q.block_rows) + "x" + std::to_string(*q.block_columns);
  if (q.ordered == true) out += " ordered";
  if (q.static_activation) out += *q.static_activation ? " static" : " dynamic";
  if (q.kv_fp8 == true) out += " kv";
  if (!q.kept.empty()) out += " kept " + std::to_string(q.kept.size());
  return out;
}

inline std::string files_of(const ModelSpec& m) {
  constexpr std::string_view kWords[] = {"ok",         "truncated", "missing",  "extra",
                                         "damaged",    "pointer",   "web page", "text",
                                         "unreadable", "obsolete"};
  std::string out;
  for (const WeightFile& file : m.files) {
    out += (out.empty() ? "" : ", ") + file.path + " " +
           std::string(kWords[static_cast<std::size_t>(file.state)]);
  }
  return out;
}

inline std::string reason_of(const Message& why) {
  return why.empty() ? "" : rendered(why, Language::English);
}

}  // namespace sx
