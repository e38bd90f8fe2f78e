// A machine file read back. It may be written by hand, so every value is looked at and what is
// missing is derived.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/strings.h"
#include "gather/gather_host_card.h"
#include "gather/host_file.h"
#include "gather/host_file_names.h"
#include "gather/host_file_values.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr std::size_t kMostGpus = 64;

constexpr Text kNotInFile{"the machine file does not tell it", "机器文件里没有这一项"};
constexpr Text kSaid{"{why}", "{why}"};

Message said(std::string why) { return {kSaid, {{"why", std::move(why)}}}; }

std::unexpected<Error> wrong(const Both& what) {
  return fail(Error::Kind::Damaged, "the machine file is wrong: " + what.english,
              "机器文件有误：" + what.chinese);
}

class Reader {
 public:
  Reader(JsonValue root, int source) : root_(root), source_(source) {
    if (!root_["unknown"].is(JsonKind::Array)) return;
    for (const JsonValue& entry : root_["unknown"].elements()) {
      const auto what = entry["what"].string();
      const auto why = entry["why"].string();
      if (what && why && why_.size() < kMostListed) why_.emplace_back(*what, *why);
    }
  }

  Result<HostSpec> host() {
    HostSpec host;
    host.from = HostFrom::File;
    host.name = root_["name"].string().value_or("");
    if (!read_gpus(host) || !read_links(host)) return wrong(problem_);
    read_facts(host);
    read_lists(host);
    for (const auto& [what, why] : why_) {
      if (what == "text" || what == "nvml") host.unknown.emplace_back(what, said(why));
    }
    list_unknown(host);
    return host;
  }

 private:
  Message why(std::string_view what) const {
    const auto found =
        std::ranges::find_if(why_, [&](const auto& entry) { return entry.first == what; });
    return found == why_.end() ? Message{kNotInFile} : said(found->second);
  }

  template <class T>
  Fact<T> fact(const JsonValue& value, const JsonValue& origin, std::string_view what) const {
    T into{};
    if (!value || !convert(value, into)) return Fact<T>::unknown(why(what));
    const auto named = origin_named(origin.string().value_or(""));
    return {std::move(into), named.value_or(Origin::Device), value.span(source_)};
  }

  bool fails(Both problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool read_gpus(HostSpec& host) {
    const JsonValue gpus = root_["gpus"];
    if (!gpus || gpus.is(JsonKind::Null)) {
      host.gpu_count = Fact<int>::unknown(why("gpus"));
      return true;
    }
    if (!gpus.is(JsonKind::Array)) return fails({"'gpus' is not a list", "'gpus' 不是列表"});
    if (gpus.size() > kMostGpus)
      return fails({"'gpus' has more than 64 entries", "'gpus' 超过 64 项"});
    for (const JsonValue& entry : gpus.elements()) {
      if (!entry.is(JsonKind::Object))
        return fails({"an entry of 'gpus' is not an object", "'gpus' 中有一项不是对象"});
      host.gpus.push_back(gpu_of(entry, static_cast<int>(host.gpus.size())));
    }
    for (std::size_t i = 1; i < host.gpus.size(); ++i) {
      if (host.gpus[i].index <= host.gpus[i - 1].index)
        return fails({"'index' of the GPUs does not rise", "各 GPU 的 'index' 没有递增"});
    }
    const JsonValue origin = root_["origins"]["gpu_count"];
    const auto named = origin_named(origin.string().value_or(""));
    host.gpu_count = {static_cast<int>(host.gpus.size()), named.value_or(Origin::Device),
                      gpus.span(source_)};
    // "gpu_count": null with an empty list: nobody could look.
    const bool not_looked = root_["gpu_count"].is(JsonKind::Null) && host.gpus.empty();
    if (not_looked) host.gpu_count = Fact<int>::unknown(why("gpus"));
    return true;
  }

  Gpu gpu_of(const JsonValue& entry, int position) const {
    Gpu gpu;
    int index = position;
    if (entry["index"]) convert(entry["index"], index);
    gpu.index = index;
    gpu.uuid = entry["uuid"].string().value_or("");
    gpu.pci = entry["pci"].string().value_or("");
    gpu.cpu_affinity = entry["cpu_affinity"].string().value_or("");
    gpu.numa_affinity = entry["numa_affinity"].string().value_or("");
    gpu.compute_mode = entry["compute_mode"].string().value_or("");
    const JsonValue origins = entry["origins"];
    each_gpu_fact(gpu, [&]<class T>(std::string_view name, Fact<T>& into) {
      into = fact<T>(entry[name], origins[name], unknown_name("gpus", name));
    });
    read_state(entry["state"], gpu.state,
               [](auto& a, auto& b, auto visit) { each_gpu_state(a, b, visit); });
    // A file written by hand names a card and no more; what it leaves out the catalogue tells, an
    // explicit null stays.
    if (!entry["usable_bytes"]) complete(gpu, entry);
    return gpu;
  }

  template <class State, class Each>
  void read_state(const JsonValue& from, State& state, Each each) const {
    each(state, state, [&]<class T>(std::string_view name, Fact<T>& into, Fact<T>&) {
      into = fact<T>(from[name], JsonValue(), name);
    });
  }

  // Absent members are open to the catalogue; the reason "not in the file" must not keep them
  // unknown.
  void complete(Gpu& gpu, const JsonValue& entry) const {
    each_gpu_fact(gpu, [&]<class T>(std::string_view name, Fact<T>& into) {
      if (!entry[name] && name != "numa" && name != "used_bytes") into = Fact<T>();
    });
    const GpuKind* kind = kind_of(gpu);
    describe_card(gpu, kind, Origin::Measured);
    each_gpu_fact(gpu, [&]<class T>(std::string_view, Fact<T>& into) {
      if (!into.known() && into.why_unknown().empty()) into = Fact<T>::unknown(kNotInFile);
    });
  }

  bool read_matrix(std::vector<std::vector<std::string>>& into, std::string_view name,
                   std::size_t count) {
    const JsonValue rows = root_["links"][name];
    if (!rows || rows.is(JsonKind::Null)) return true;
    const std::string member = "'links." + std::string(name) + "'";
    const Both shape{member + " is not a square of one row a GPU",
                     member + " 不是每张 GPU 一行的方阵"};
    if (!rows.is(JsonKind::Array) || rows.size() != count) return fails(shape);
    for (const JsonValue& row : rows.elements()) {
      if (!row.is(JsonKind::Array) || row.size() != count) return fails(shape);
      std::vector<std::string> cells;
      for (const JsonValue& cell : row.elements()) {
        cells.push_back(cell.string().value_or(""));
        if (cells.back().size() > 16) {
          return fails(
              {member + " holds a word that is no class", member + " 中有不是链路类别的词"});
        }
      }
      into.push_back(std::move(cells));
    }
    return true;
  }

  bool read_links(HostSpec& host) {
    host.links.why_unknown = why("links");
    if (!read_matrix(host.links.classes, "classes", host.gpus.size())) return false;
    if (!read_matrix(host.links.p2p, "p2p", host.gpus.size())) return false;
    if (host.links.known()) host.links.why_unknown = {};
    return true;
  }

  // The names that the list of unknown things uses for members of groups.
  static std::string unknown_name(std::string_view group, std::string_view name) {
    if (group == "gpus" && name == "cc") return "gpus.capability";
    if (group == "gpus") return "gpus." + std::string(name.substr(0, name.find("_bytes")));
    if (group == "memory") return "memory";
    if (group == "shm") return "shared_memory";
    if (name == "locked_memory_bytes") return "locked_memory";
    if (group == "numa") return "numa_nodes";
    return std::string(name);
  }

  void read_facts(HostSpec& host) const {
    const JsonValue origins = root_["origins"];
    each_host_fact(
        host, [&]<class T>(std::string_view group, std::string_view name, Fact<T>& into) {
          const JsonValue value = group.empty() ? root_[name] : root_[group][name];
          const std::string key =
              group.empty() ? std::string(name) : std::string(group) + '.' + std::string(name);
          into = fact<T>(value, origins[key], unknown_name(group, name));
        });
    read_state(root_["state"], host.state,
               [](auto& a, auto& b, auto visit) { each_host_state(a, b, visit); });
  }

  void read_lists(HostSpec& host) const {
    for (const JsonValue& nic : root_["nics"].elements()) {
      if (host.nics.size() < kMostListed && nic.string()) host.nics.push_back(*nic.string());
    }
    for (const JsonValue& value : root_["environment"].elements()) {
      if (host.environment.size() < kMostListed && value.string())
        host.environment.emplace_back(value.key(), *value.string());
    }
    for (const JsonValue& message : root_["assumed"].elements()) {
      if (host.assumed.size() < kMostListed && message.string())
        host.assumed.push_back(said(*message.string()));
    }
    const JsonValue ports = root_["ports"];
    host.used_ports = Fact<std::vector<UsedPort>>::unknown(why("ports"));
    if (!ports.is(JsonKind::Array)) return;
    std::vector<UsedPort> used;
    for (const JsonValue& entry : ports.elements()) {
      int port = 0;
      if (!entry["port"] || !convert(entry["port"], port) || port > 65535 ||
          used.size() >= kMostListed)
        continue;
      used.push_back({port, entry["address"].string().value_or("")});
    }
    host.used_ports = {std::move(used), Origin::Device};
  }

  JsonValue root_;
  int source_;
  std::vector<std::pair<std::string, std::string>> why_;
  Both problem_;
};

}  // namespace

Result<HostSpec> host_from_json(const Sources& sources, int source) {
  std::string_view text = sources.at(source).text;
  SX_TRY(const JsonDocument document, JsonDocument::parse(text));
  const JsonValue root = document.root();
  if (!root.is(JsonKind::Object)) return wrong({"it is not an object", "它不是 JSON 对象"});
  const auto schema = root["schema"].string();
  if (!schema) {
    const std::string expected(kHostSchema);
    return wrong({"it has no \"schema\"; a machine file says \"" + expected + "\"",
                  "没有 \"schema\"；机器文件应写明 \"" + expected + "\""});
  }
  if (*schema != kHostSchema) {
    return fail(
        Error::Kind::Unsupported,
        "the file is of schema '" + schema->substr(0, 60) + "', not " + std::string(kHostSchema),
        "文件的 schema 是 '" + schema->substr(0, 60) + "'，不是 " + std::string(kHostSchema));
  }
  return Reader(root, source).host();
}

}  // namespace sx
