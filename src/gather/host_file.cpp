// A machine as JSON: facts as plain values, null where nothing is known, and beside them where each
// came from.
#include "gather/host_file.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/strings.h"
#include "base/utf8.h"
#include "facts/secret_names.h"
#include "gather/host_file_names.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

json::string utf8(std::string_view text) {
  const std::string valid = valid_utf8(text);
  return json::string(valid.data(), valid.size());
}

json::value plain(const std::string& text) { return utf8(text); }
json::value plain(Bytes bytes) { return bytes.count(); }
json::value plain(std::int64_t number) { return number; }
json::value plain(int number) { return number; }
json::value plain(double number) { return number; }
json::value plain(bool truth) { return truth; }
json::value plain(ComputeCapability capability) { return utf8(capability.text()); }

json::value plain(const std::vector<std::string>& all) {
  json::array array;
  for (const std::string& one : all) array.push_back(utf8(one));
  return array;
}
json::value optional_bytes(const std::optional<Bytes>& bytes) {
  return bytes ? json::value(bytes->count()) : json::value(nullptr);
}
json::value plain(const std::vector<GpuProcess>& all) {
  json::array array;
  for (const GpuProcess& one : all) {
    array.push_back(json::object{
        {"pid", one.pid}, {"name", utf8(one.name)}, {"memory_bytes", optional_bytes(one.memory)}});
  }
  return array;
}
json::value plain(const std::vector<NumaNode>& all) {
  json::array array;
  for (const NumaNode& one : all) {
    json::array distances;
    for (const int distance : one.distances) distances.push_back(distance);
    array.push_back(json::object{{"node", one.node},
                                 {"cpus", utf8(one.cpus)},
                                 {"memory_bytes", optional_bytes(one.memory)},
                                 {"free_bytes", optional_bytes(one.memory_free)},
                                 {"distances", std::move(distances)}});
  }
  return array;
}
json::value plain(const std::vector<KernelEvent>& all) {
  json::array array;
  for (const KernelEvent& one : all) {
    array.push_back(json::object{{"kind", utf8(word(one.kind))},
                                 {"code", one.code},
                                 {"pci", utf8(one.pci)},
                                 {"process", utf8(one.process)},
                                 {"text", utf8(one.text)},
                                 {"times", one.times},
                                 {"severe", one.severe}});
  }
  return array;
}
json::value plain(const std::vector<Package>& all) {
  json::object object;
  for (const auto& [name, version] : all) {
    if (!object.contains(name)) object[utf8(name)] = utf8(version);
  }
  return object;
}

template <class T>
json::value value_of(const Fact<T>& fact) {
  return fact.known() ? plain(fact.value()) : json::value(nullptr);
}

// Most facts of a machine are read from it; only the others say where they came from.
template <class T>
void add_fact(json::object& into, json::object& origins, std::string_view name,
              const Fact<T>& fact) {
  into[name] = value_of(fact);
  if (fact.known() && fact.origin() != Origin::Device) origins[name] = utf8(word(fact.origin()));
}

// Only what is known: most machines tell a part of it.
template <class State, class Each>
json::object state_object(const State& state, Each each) {
  json::object object;
  each(state, state, [&](std::string_view name, const auto& fact, const auto&) {
    if (fact.known()) object[name] = plain(fact.value());
  });
  return object;
}

json::value printed(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(utf8(text));
}

json::object gpu_object(const Gpu& gpu) {
  json::object object, origins;
  object["index"] = gpu.index;
  object["uuid"] = printed(gpu.uuid);
  object["pci"] = printed(gpu.pci);
  each_gpu_fact(
      gpu, [&](std::string_view name, const auto& fact) { add_fact(object, origins, name, fact); });
  object["cpu_affinity"] = printed(gpu.cpu_affinity);
  object["numa_affinity"] = printed(gpu.numa_affinity);
  object["compute_mode"] = printed(gpu.compute_mode);
  json::object state =
      state_object(gpu.state, [](auto& a, auto& b, auto visit) { each_gpu_state(a, b, visit); });
  if (!state.empty()) object["state"] = std::move(state);
  object["origins"] = std::move(origins);
  return object;
}

json::value matrix(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return nullptr;
  json::array all;
  for (const auto& row : rows) {
    json::array cells;
    for (const std::string& cell : row) cells.push_back(printed(cell));
    all.push_back(std::move(cells));
  }
  return all;
}

json::value ports_array(const Fact<std::vector<UsedPort>>& ports) {
  if (!ports.known()) return nullptr;
  json::array all;
  for (const UsedPort& port : ports.value()) {
    all.push_back(json::object{{"port", port.port}, {"address", utf8(port.address)}});
  }
  return all;
}

void add_host_facts(json::object& object, const HostSpec& host) {
  json::object origins;
  if (host.gpu_count.known() && host.gpu_count.origin() != Origin::Device) {
    origins["gpu_count"] = utf8(word(host.gpu_count.origin()));
  }
  each_host_fact(host, [&](std::string_view group, std::string_view name, const auto& fact) {
    if (group.empty()) {
      add_fact(object, origins, name, fact);
      return;
    }
    if (!object.contains(group)) object[group] = json::object();
    object[group].as_object()[name] = value_of(fact);
    if (fact.known() && fact.origin() != Origin::Device) {
      origins[std::string(group) + '.' + std::string(name)] = utf8(word(fact.origin()));
    }
  });
  object["origins"] = std::move(origins);
}

json::array unknown_array(const HostSpec& host) {
  json::array all;
  for (const auto& [what, why] : host.unknown) {
    all.push_back(
        json::object{{"what", utf8(what)}, {"why", utf8(rendered(why, Language::English))}});
  }
  return all;
}

json::object host_object(const HostSpec& host) {
  json::object object;
  object["schema"] = utf8(kHostSchema);
  object["name"] = utf8(host.name);
  object["from"] = utf8(word(host.from));
  object["gpu_count"] = value_of(host.gpu_count);
  json::array gpus;
  for (const Gpu& gpu : host.gpus) gpus.push_back(gpu_object(gpu));
  object["gpus"] = std::move(gpus);
  object["links"] =
      json::object{{"classes", matrix(host.links.classes)}, {"p2p", matrix(host.links.p2p)}};
  add_host_facts(object, host);
  json::object state =
      state_object(host.state, [](auto& a, auto& b, auto visit) { each_host_state(a, b, visit); });
  if (!state.empty()) object["state"] = std::move(state);
  json::array nics;
  for (const std::string& nic : host.nics) nics.push_back(utf8(nic));
  object["nics"] = std::move(nics);
  object["ports"] = ports_array(host.used_ports);
  json::object environment;
  for (const auto& [name, value] : host.environment) {
    if (may_be_saved(name)) environment[utf8(name)] = utf8(value);
  }
  object["environment"] = std::move(environment);
  json::array assumed;
  for (const Message& message : host.assumed)
    assumed.push_back(utf8(rendered(message, Language::English)));
  object["assumed"] = std::move(assumed);
  object["unknown"] = unknown_array(host);
  return object;
}

// Objects over several lines, lists of plain values on one: a matrix is read row by row.
bool on_one_line(const json::value& value) {
  if (value.is_object())
    return value.get_object().size() <= 2 &&
           std::ranges::all_of(value.get_object(),
                               [](const auto& member) { return member.value().is_primitive(); });
  if (!value.is_array()) return true;
  return std::ranges::all_of(value.get_array(),
                             [](const json::value& item) { return item.is_primitive(); });
}

void print(std::string& out, const json::value& value, std::size_t indent) {
  if (on_one_line(value)) {
    out += replaced(json::serialize(value), "\",\"", "\", \"");
    return;
  }
  const std::string blanks(indent + 2, ' ');
  const bool is_object = value.is_object();
  out += is_object ? "{\n" : "[\n";
  std::size_t left = is_object ? value.get_object().size() : value.get_array().size();
  const auto item = [&](std::string_view key, const json::value& inner) {
    out += blanks;
    if (is_object) out += json::serialize(json::value(json::string(key.data(), key.size()))) + ": ";
    print(out, inner, indent + 2);
    out += --left > 0 ? ",\n" : "\n";
  };
  if (is_object) {
    for (const auto& member : value.get_object())
      item({member.key().data(), member.key().size()}, member.value());
  } else {
    for (const json::value& inner : value.get_array()) item({}, inner);
  }
  out += std::string(indent, ' ') + (is_object ? '}' : ']');
}

}  // namespace

bool may_be_saved(std::string_view variable) {
  constexpr std::array<std::string_view, 11> kFronts{"NCCL_",
                                                     "CUDA_",
                                                     "VLLM_",
                                                     "SGLANG_",
                                                     "TORCH_",
                                                     "PYTORCH_",
                                                     "NVIDIA_",
                                                     "GLOO_",
                                                     "OMP_",
                                                     "HF_HUB_OFFLINE",
                                                     "TRANSFORMERS_OFFLINE"};
  return !may_name_secret(variable) &&
         std::ranges::any_of(kFronts, [&](auto front) { return variable.starts_with(front); });
}

std::string host_to_json(const HostSpec& host, const std::optional<GpuSet>& pick, int k) {
  json::object object = host_object(host);
  if (pick) {
    json::array gpus;
    for (const int gpu : pick->gpus) gpus.push_back(gpu);
    object["pick"] = json::object{{"k", k},
                                  {"gpus", std::move(gpus)},
                                  {"weakest", printed(pick->weakest)},
                                  {"ties", pick->ties}};
  }
  std::string out;
  print(out, object, 0);
  out += '\n';
  return printable_json(out);
}

}  // namespace sx
