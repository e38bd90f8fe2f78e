// Which facts are there, and why the others are not.
#include "facts/need.h"

#include <algorithm>
#include <optional>

#include "facts/need_condition.h"

namespace sx {
namespace {

constexpr Text kOldVersion{"flags of versions before the oldest one read are not known",
                           "早于已读取的最老版本，其参数未知"};
constexpr Text kNoLayout{"a parallel size is unknown here, or no size at all",
                         "并行数在这里无法确定，或根本不成立"};
constexpr Text kNoModel{"the model is not in the catalogue and no local copy was found",
                        "目录里没有这个模型，本机也没有找到副本"};
constexpr Text kFieldMissing{"the model's config does not say", "模型配置里没有写"};
constexpr Text kNoFolder{"the model's folder is not on this machine", "本机没有该模型的目录"};
constexpr Text kNoGpus{"the machine's GPUs are unknown", "机器上的 GPU 未知"};
constexpr Text kUnknownCard{"the card is not in the catalogue", "目录里没有这种 GPU"};
constexpr Text kNotLive{"it is seen only on the machine itself", "只有在机器本身上才能看到"};
constexpr Text kOnlyNamed{"a machine that is only named tells nothing of its condition",
                          "只给出名称的机器，其运行状态未知"};
constexpr Text kNotTold{"nothing tells it", "没有信息说明"};
constexpr Text kMask{"CUDA_VISIBLE_DEVICES cannot be resolved here",
                     "CUDA_VISIBLE_DEVICES 在这里无法解析"};
constexpr Text kNoBudget{"the model's shape or the cards' memory is unknown",
                         "模型结构或显存大小未知"};

template <class T>
Message why(const Fact<T>& fact, const Text& otherwise) {
  return fact.why_unknown().empty() ? Message{otherwise} : fact.why_unknown();
}

Message why_no_model_fact(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.from != ModelFrom::Nowhere) return {kFieldMissing};
  return model.why_unknown.empty() ? Message{kNoModel} : model.why_unknown;
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

}  // namespace

std::string_view name(Need need) {
  switch (need) {
    case Need::Flags:
      return "command.flags";
    case Need::ParallelSizes:
      return "command.parallel_sizes";
    case Need::Layout:
      return "command.layout";
    case Need::ModelShape:
      return "model.shape";
    case Need::ModelHeads:
      return "model.heads";
    case Need::ModelKvHeads:
      return "model.kv_heads";
    case Need::ModelVocabulary:
      return "model.vocabulary";
    case Need::ModelWidths:
      return "model.widths";
    case Need::ModelLayers:
      return "model.layers";
    case Need::ModelExperts:
      return "model.experts";
    case Need::ModelArchitecture:
      return "model.architecture";
    case Need::ModelQuantisation:
      return "model.quantisation";
    case Need::ModelContext:
      return "model.context";
    case Need::ModelDtype:
      return "model.dtype";
    case Need::ModelKind:
      return "model.kind";
    case Need::ModelFiles:
      return "model.files";
    case Need::ModelConfig:
      return "model.config";
    case Need::HostGpus:
      return "host.gpus";
    case Need::HostGpuMemory:
      return "host.gpu_memory";
    case Need::HostGpuKind:
      return "host.gpu_kind";
    case Need::HostGpuUse:
      return "host.gpu_use";
    case Need::HostLinks:
      return "host.links";
    case Need::HostSharedMemory:
      return "host.shared_memory";
    case Need::HostFolders:
      return "host.folders";
    case Need::HostPorts:
      return "host.ports";
    case Need::HostDriver:
      return "host.driver";
    case Need::HostErrors:
      return "host.errors";
    case Need::HostKernelLog:
      return "host.kernel_log";
    case Need::HostSlowdowns:
      return "host.slowdowns";
    case Need::HostPower:
      return "host.power";
    case Need::HostMig:
      return "host.mig";
    case Need::HostComputeMode:
      return "host.compute_mode";
    case Need::HostPersistence:
      return "host.persistence";
    case Need::HostDisplay:
      return "host.display";
    case Need::HostFabric:
      return "host.fabric";
    case Need::HostBus:
      return "host.bus";
    case Need::HostPcie:
      return "host.pcie";
    case Need::HostPeers:
      return "host.peers";
    case Need::HostNumaMemory:
      return "host.numa_memory";
    case Need::HostLockedMemory:
      return "host.locked_memory";
    case Need::HostOpenFiles:
      return "host.open_files";
    case Need::HostInterfaces:
      return "host.interfaces";
    case Need::VisibleDevices:
      return "command.visible_devices";
    case Need::MemoryBudget:
      return "memory.budget";
  }
  SX_UNREACHABLE("a need without a name");
}

bool met(Need need, const Case& c) {
  const ModelSpec& m = c.model();
  const HostSpec& h = c.host();
  switch (need) {
    case Need::Flags:
      return c.serve.flags_checked;
    case Need::ParallelSizes:
    case Need::Layout:
      return layout_known(c.serve);
    case Need::ModelShape:
      return shape_known(m);
    case Need::ModelHeads:
      return m.heads.known();
    case Need::ModelKvHeads:
      return m.kv_heads.known();
    case Need::ModelVocabulary:
      return m.vocab_size.known();
    case Need::ModelWidths:
      return m.intermediate_size.known() || m.expert_width.known();
    case Need::ModelLayers:
      return m.layers.known();
    case Need::ModelExperts:
      return m.experts.known();
    case Need::ModelArchitecture:
      return m.architecture.known();
    case Need::ModelQuantisation:
      return m.quantisation.known();
    case Need::ModelContext:
      return m.max_positions.known();
    case Need::ModelDtype:
      return m.dtype.known();
    case Need::ModelKind:
      return m.generates.known();
    case Need::ModelFiles:
      return !m.files.empty();
    case Need::ModelConfig:
      return m.from == ModelFrom::Directory || m.from == ModelFrom::Cache;
    case Need::HostGpus:
      return h.gpu_count.known();
    case Need::HostGpuMemory:
      return every_gpu(h, [](const Gpu& gpu) { return gpu.usable.known(); });
    case Need::HostGpuKind:
      return every_gpu(h, [](const Gpu& gpu) { return gpu.capability.known(); });
    case Need::HostGpuUse:
      return std::ranges::any_of(h.gpus, use_known);
    case Need::HostLinks:
      return h.links.known();
    case Need::HostSharedMemory:
      return h.shared_memory.known();
    case Need::HostFolders:
      return h.from == HostFrom::Live;
    case Need::HostPorts:
      return h.used_ports.known();
    case Need::HostDriver:
    case Need::HostErrors:
    case Need::HostKernelLog:
    case Need::HostSlowdowns:
    case Need::HostPower:
    case Need::HostMig:
    case Need::HostComputeMode:
    case Need::HostPersistence:
    case Need::HostDisplay:
    case Need::HostFabric:
    case Need::HostBus:
    case Need::HostPcie:
    case Need::HostPeers:
    case Need::HostNumaMemory:
    case Need::HostLockedMemory:
    case Need::HostOpenFiles:
    case Need::HostInterfaces:
      return condition_met(need, c);
    case Need::VisibleDevices:
      return c.visible.known;
    case Need::MemoryBudget:
      return layout_known(c.serve) && shape_known(m) && m.vocab_size.known() &&
             every_gpu(h, [](const Gpu& gpu) { return gpu.usable.known(); }) && c.visible.known;
  }
  SX_UNREACHABLE("a need that nobody can meet");
}

Message why_not(Need need, const Case& c) {
  const HostSpec& h = c.host();
  switch (need) {
    case Need::Flags:
      return {kOldVersion};
    case Need::ParallelSizes:
    case Need::Layout:
      return {kNoLayout};
    case Need::ModelShape:
    case Need::ModelHeads:
    case Need::ModelKvHeads:
    case Need::ModelVocabulary:
    case Need::ModelWidths:
    case Need::ModelLayers:
    case Need::ModelExperts:
    case Need::ModelArchitecture:
    case Need::ModelQuantisation:
    case Need::ModelContext:
    case Need::ModelKind:
    case Need::ModelDtype:
      return why_no_model_fact(c);
    case Need::ModelFiles:
      // A folder without weights says so itself.
      if (!c.model().weight_format.why_unknown().empty() && c.model().from != ModelFrom::Nowhere)
        return c.model().weight_format.why_unknown();
      [[fallthrough]];
    case Need::ModelConfig:
      return c.model().from == ModelFrom::Nowhere ? why_no_model_fact(c) : Message{kNoFolder};
    case Need::HostGpus:
      return why(h.gpu_count, kNoGpus);
    case Need::HostGpuMemory:
    case Need::HostGpuKind:
      return h.gpus.empty() ? why(h.gpu_count, kNoGpus) : Message{kUnknownCard};
    case Need::HostGpuUse:
      return h.gpus.empty() ? why(h.gpu_count, kNoGpus) : why_use_unknown(h);
    case Need::HostLinks:
      return h.links.why_unknown.empty() ? Message{kNotLive} : h.links.why_unknown;
    case Need::HostSharedMemory:
      return why(h.shared_memory, kNotLive);
    case Need::HostFolders:
      return {kNotLive};
    case Need::HostPorts:
      return why(h.used_ports, kNotLive);
    case Need::HostDriver:
      return why(h.driver, kNotTold);
    case Need::HostErrors:
    case Need::HostKernelLog:
    case Need::HostSlowdowns:
    case Need::HostPower:
    case Need::HostMig:
    case Need::HostComputeMode:
    case Need::HostPersistence:
    case Need::HostDisplay:
    case Need::HostFabric:
    case Need::HostBus:
    case Need::HostPcie:
    case Need::HostPeers:
    case Need::HostNumaMemory:
    case Need::HostLockedMemory:
    case Need::HostOpenFiles:
    case Need::HostInterfaces:
      return h.from == HostFrom::Named ? Message{kOnlyNamed} : Message{kNotTold};
    case Need::VisibleDevices:
      return h.gpu_count.known() ? Message{kMask} : why(h.gpu_count, kNoGpus);
    case Need::MemoryBudget: {
      if (!shape_known(c.model()) || !c.model().vocab_size.known()) return why_no_model_fact(c);
      if (!layout_known(c.serve)) return {kNoLayout};
      return h.gpus.empty() ? why(h.gpu_count, kNoGpus) : Message{kNoBudget};
    }
  }
  SX_UNREACHABLE("a need without a reason");
}

}  // namespace sx
