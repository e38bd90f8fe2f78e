// Which facts are there, and why the others are not.
#include "facts/need.h"

#include <algorithm>
#include <iterator>

#include "facts/need_condition.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr Text kOldVersion{"flags of versions before the oldest one read are not known",
                           "早于已读取的最老版本，其参数未知"};
constexpr Text kNoLayout{"a parallel size is unknown here, or no size at all",
                         "并行数在这里无法确定，或根本不成立"};
constexpr Text kNoModel{"the model is not in the catalogue and no local copy was found",
                        "内置数据里没有这个模型，本机也没有找到副本"};
constexpr Text kFieldMissing{"the model's config does not say", "模型配置里没有写"};
constexpr Text kNoLayers{"the model's config does not say how many layers it has",
                         "模型配置里没有可用的层数"};
constexpr Text kNoWidth{"the model's config does not say its hidden size",
                        "模型配置里没有可用的隐藏维度"};
constexpr Text kNoHeads{"the model's config does not say how many attention heads it has",
                        "模型配置里没有可用的注意力头数"};
constexpr Text kNoVocabulary{"the model's config does not say how large the vocabulary is",
                             "模型配置里没有可用的词表大小"};
constexpr Text kNoFolder{"the model's folder is not on this machine", "本机没有该模型的目录"};
constexpr Text kNoGpus{"the machine's GPUs are unknown", "机器上的 GPU 未知"};
constexpr Text kUnknownCard{"the card is not in the catalogue", "GPU 数据表里没有这种 GPU"};
constexpr Text kNotLive{"it is seen only on the machine itself", "只有在机器本身上才能看到"};
constexpr Text kOnlyNamed{"a machine that is only named tells nothing of its condition",
                          "只给出名称的机器，其运行状态未知"};
constexpr Text kNotTold{"no input tells it", "输入里没有这项信息"};
constexpr Text kMask{"CUDA_VISIBLE_DEVICES cannot be resolved here",
                     "CUDA_VISIBLE_DEVICES 在这里无法解析"};
constexpr Text kLayersUnlike{
    "the model's layers differ from one another; their memory is not worked out here",
    "模型各层结构不同，这里不计算它的显存"};
constexpr Text kNoGpuMemory{"the memory of GPU {gpu} ({name}) is not known",
                            "GPU {gpu}（{name}）的显存大小未知"};
constexpr Text kNoGpuMemoryWhy{"the memory of GPU {gpu} ({name}) is not known: {why}",
                               "GPU {gpu}（{name}）的显存大小未知：{why}"};
constexpr Text kNoBudget{"the model's shape or the cards' memory is unknown",
                         "模型结构或显存大小未知"};

template <class T>
Message why(const Fact<T>& fact, const Text& otherwise) {
  return fact.why_unknown().empty() ? Message{otherwise} : fact.why_unknown();
}

Message why_no_model_fact(const Case& c) {
  const ModelSpec& model = c.model();
  // A config that could not be read says nothing at all.
  if (!model.why_unknown.empty()) return model.why_unknown;
  return {model.from == ModelFrom::Nowhere ? kNoModel : kFieldMissing};
}

bool every_gpu(const HostSpec& host, bool (*has)(const Gpu&)) {
  if (host.gpus.empty()) return false;
  for (const Gpu& gpu : host.gpus) {
    if (!has(gpu)) return false;
  }
  return true;
}

// One card that is told about is enough to speak about that one.
bool use_known(const Gpu& gpu) { return gpu.used.known() && gpu.usable.known(); }

Message why_use_unknown(const HostSpec& h) {
  for (const Gpu& gpu : h.gpus) {
    if (!gpu.used.why_unknown().empty()) return gpu.used.why_unknown();
  }
  return {kNotLive};
}

bool size_makes_sense(const Fact<int>& size) {
  constexpr int kMostRanks = 4096;  // more than any launch; keeps products small
  return size.known() && size.value() >= 1 && size.value() <= kMostRanks;
}

bool layout_known(const ServeSpec& serve) {
  return size_makes_sense(serve.tensor_parallel) && size_makes_sense(serve.pipeline_parallel) &&
         size_makes_sense(serve.data_parallel);
}

bool shape_known(const ModelSpec& m) {
  return m.layers.known() && m.hidden_size.known() && m.heads.known();
}

Message why_no_files(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.from == ModelFrom::Nowhere) return why_no_model_fact(c);
  // A folder without weights says so itself.
  const Message& own = model.weight_format.why_unknown();
  return own.empty() ? Message{kNoFolder} : own;
}

Message why_no_folder(const Case& c) {
  return c.model().from == ModelFrom::Nowhere ? why_no_model_fact(c) : Message{kNoFolder};
}

Message why_no_gpus(const Case& c) { return why(c.host().gpu_count, kNoGpus); }
Message why_no_card(const Case& c) {
  return c.host().gpus.empty() ? why_no_gpus(c) : Message{kUnknownCard};
}
Message why_no_layout(const Case&) { return {kNoLayout}; }
Message why_not_live(const Case&) { return {kNotLive}; }
Message why_no_condition(const Case& c) {
  return c.host().from == HostFrom::Named ? Message{kOnlyNamed} : Message{kNotTold};
}

bool layout_met(const Case& c) { return layout_known(c.serve); }
bool memory_known(const Case& c) {
  return every_gpu(c.host(), [](const Gpu& gpu) { return gpu.usable.known(); });
}

// Memory of families whose layers are unlike one another is not worked out (fit/shape.h).
bool layers_unlike(const Case& c) {
  return class_truth(c.model().model_type.value_or(""), "layers_unlike").value_or(false);
}

bool budget_met(const Case& c) {
  return layout_met(c) && !layers_unlike(c) && shape_known(c.model()) &&
         c.model().vocab_size.known() && memory_known(c) && c.visible.known;
}

// Which of the sizes that memory is worked out from is not there.
Message why_no_sizes(const Case& c) {
  const ModelSpec& model = c.model();
  if (!model.why_unknown.empty() || model.from == ModelFrom::Nowhere) return why_no_model_fact(c);
  if (!model.layers.known()) return {kNoLayers};
  if (!model.hidden_size.known()) return {kNoWidth};
  return {model.heads.known() ? kNoVocabulary : kNoHeads};
}

Message why_no_budget(const Case& c) {
  if (!shape_known(c.model()) || !c.model().vocab_size.known()) return why_no_sizes(c);
  if (!layout_met(c)) return {kNoLayout};
  if (layers_unlike(c)) return {kLayersUnlike};
  if (c.host().gpus.empty()) return why_no_gpus(c);
  for (const Gpu& gpu : c.host().gpus) {
    if (gpu.usable.known()) continue;
    const std::vector<Argument> which{{"gpu", gpu.index}, {"name", gpu.name.value_or("?")}};
    const Message& reason = gpu.usable.why_unknown();
    if (reason.empty()) return {kNoGpuMemory, which};
    return {kNoGpuMemoryWhy, {which[0], which[1], {"why", in_both(reason)}}};
  }
  return {c.visible.known ? kNoBudget : kMask};
}

using Met = bool (*)(const Case& c);
using Why = Message (*)(const Case& c);

struct Row {
  Need need;
  std::string_view name;
  Met met;  // null: facts/need_condition knows
  Why why;
};

// Whether one fact of the model is known.
template <auto Field>
bool of_model(const Case& c) {
  return (c.model().*Field).known();
}

template <auto Field>
bool of_host(const Case& c) {
  return (c.host().*Field).known();
}

constexpr Row condition(Need need, std::string_view name) {
  return {need, name, nullptr, why_no_condition};
}

template <auto Field>
constexpr Row model_fact(Need need, std::string_view name) {
  return {need, name, of_model<Field>, why_no_model_fact};
}

constexpr Row kRows[] = {
    {Need::Flags, "command.flags", [](const Case& c) { return c.serve.flags_checked; },
     [](const Case&) { return Message{kOldVersion}; }},
    {Need::ParallelSizes, "command.parallel_sizes", layout_met, why_no_layout},
    {Need::Layout, "command.layout", layout_met, why_no_layout},
    {Need::ModelShape, "model.shape", [](const Case& c) { return shape_known(c.model()); },
     why_no_model_fact},
    model_fact<&ModelSpec::heads>(Need::ModelHeads, "model.heads"),
    model_fact<&ModelSpec::kv_heads>(Need::ModelKvHeads, "model.kv_heads"),
    model_fact<&ModelSpec::vocab_size>(Need::ModelVocabulary, "model.vocabulary"),
    {Need::ModelWidths, "model.widths",
     [](const Case& c) {
       return c.model().intermediate_size.known() || c.model().expert_width.known();
     },
     why_no_model_fact},
    model_fact<&ModelSpec::layers>(Need::ModelLayers, "model.layers"),
    model_fact<&ModelSpec::experts>(Need::ModelExperts, "model.experts"),
    model_fact<&ModelSpec::architecture>(Need::ModelArchitecture, "model.architecture"),
    model_fact<&ModelSpec::quantisation>(Need::ModelQuantisation, "model.quantisation"),
    model_fact<&ModelSpec::max_positions>(Need::ModelContext, "model.context"),
    model_fact<&ModelSpec::dtype>(Need::ModelDtype, "model.dtype"),
    model_fact<&ModelSpec::generates>(Need::ModelKind, "model.kind"),
    {Need::ModelFiles, "model.files", [](const Case& c) { return !c.model().files.empty(); },
     why_no_files},
    {Need::ModelConfig, "model.config",
     [](const Case& c) {
       const ModelFrom from = c.model().from;
       return from == ModelFrom::Directory || from == ModelFrom::Cache || from == ModelFrom::Hub;
     },
     why_no_folder},
    {Need::HostGpus, "host.gpus", of_host<&HostSpec::gpu_count>, why_no_gpus},
    {Need::HostGpuMemory, "host.gpu_memory", memory_known, why_no_card},
    {Need::HostGpuKind, "host.gpu_kind",
     [](const Case& c) {
       return every_gpu(c.host(), [](const Gpu& gpu) { return gpu.capability.known(); });
     },
     why_no_card},
    {Need::HostGpuUse, "host.gpu_use",
     [](const Case& c) { return std::ranges::any_of(c.host().gpus, use_known); },
     [](const Case& c) {
       return c.host().gpus.empty() ? why_no_gpus(c) : why_use_unknown(c.host());
     }},
    {Need::HostLinks, "host.links", [](const Case& c) { return c.host().links.known(); },
     [](const Case& c) {
       const Message& own = c.host().links.why_unknown;
       return own.empty() ? Message{kNotLive} : own;
     }},
    {Need::HostMemory, "host.memory",
     [](const Case& c) {
       return c.around.memory_limit.known() || c.host().memory.known() ||
              c.host().memory_limit.known();
     },
     [](const Case& c) { return why(c.host().memory, kNotLive); }},
    {Need::HostSharedMemory, "host.shared_memory", of_host<&HostSpec::shared_memory>,
     [](const Case& c) { return why(c.host().shared_memory, kNotLive); }},
    {Need::HostFolders, "host.folders",
     [](const Case& c) { return c.host().from == HostFrom::Live; }, why_not_live},
    {Need::HostPorts, "host.ports", of_host<&HostSpec::used_ports>,
     [](const Case& c) { return why(c.host().used_ports, kNotLive); }},
    {Need::HostDriver, "host.driver", nullptr,
     [](const Case& c) { return why(c.host().driver, kNotTold); }},
    condition(Need::HostErrors, "host.errors"),
    condition(Need::HostKernelLog, "host.kernel_log"),
    condition(Need::HostSlowdowns, "host.slowdowns"),
    condition(Need::HostPower, "host.power"),
    condition(Need::HostMig, "host.mig"),
    condition(Need::HostComputeMode, "host.compute_mode"),
    condition(Need::HostPersistence, "host.persistence"),
    condition(Need::HostDisplay, "host.display"),
    condition(Need::HostFabric, "host.fabric"),
    condition(Need::HostBus, "host.bus"),
    condition(Need::HostPcie, "host.pcie"),
    condition(Need::HostPeers, "host.peers"),
    condition(Need::HostNumaMemory, "host.numa_memory"),
    condition(Need::HostLockedMemory, "host.locked_memory"),
    condition(Need::HostOpenFiles, "host.open_files"),
    condition(Need::HostInterfaces, "host.interfaces"),
    {Need::VisibleDevices, "command.visible_devices", [](const Case& c) { return c.visible.known; },
     [](const Case& c) { return c.host().gpu_count.known() ? Message{kMask} : why_no_gpus(c); }},
    {Need::MemoryBudget, "memory.budget", budget_met, why_no_budget},
};

// One row a need, in the order of the enum, so that a need finds its row by its number.
consteval bool in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].need) != i) return false;
  }
  return static_cast<std::size_t>(Need::MemoryBudget) + 1 == std::size(kRows);
}
static_assert(in_order(), "a need without a row");

const Row& row_of(Need need) { return kRows[static_cast<std::size_t>(need)]; }

}  // namespace

std::string_view name(Need need) { return row_of(need).name; }

bool met(Need need, const Case& c) {
  const Met ask = row_of(need).met;
  return ask == nullptr ? condition_met(need, c) : ask(c);
}

Message why_not(Need need, const Case& c) { return row_of(need).why(c); }

}  // namespace sx
