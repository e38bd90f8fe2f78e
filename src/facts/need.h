// The facts a rule can ask for, by name. What a rule needs and does not get is reported as "not
// checked", with the reason.
#pragma once

#include <span>
#include <string_view>

#include "diag/message.h"
#include "facts/case.h"

namespace sx {

enum class Need {
  Flags,          // command.flags: the version's flags were read
  ParallelSizes,  // command.parallel_sizes: numbers that make sense
  Layout,  // command.layout: the ranks that the sizes make; doubtful when the model does not split
           // so
  ModelShape,         // model.shape: layers, heads, widths
  ModelHeads,         // model.heads
  ModelKvHeads,       // model.kv_heads
  ModelVocabulary,    // model.vocabulary
  ModelWidths,        // model.widths: MLP width
  ModelLayers,        // model.layers
  ModelExperts,       // model.experts: known whether and how many
  ModelArchitecture,  // model.architecture
  ModelQuantisation,  // model.quantisation
  ModelContext,       // model.context: longest context of the config
  ModelDtype,         // model.dtype
  ModelKind,          // model.kind: a language model, or something else
  ModelFiles,         // model.files: a folder with weights was read
  ModelConfig,        // model.config: a config was read, not a catalogue row
  HostGpus,           // host.gpus: count of GPUs
  HostGpuMemory,      // host.gpu_memory
  HostGpuKind,        // host.gpu_kind: compute capability
  HostGpuUse,         // host.gpu_use: memory that others hold now, of one GPU at least
  HostLinks,          // host.links
  HostMemory,         // host.memory: how much the launch may use of it
  HostSharedMemory,   // host.shared_memory
  HostFolders,        // host.folders: the machine is this one, so its folders can be seen
  HostPorts,          // host.ports: the machine is this one
  HostDriver,         // host.driver: its version
  HostErrors,         // host.errors: memory errors or repairs, of one GPU at least
  HostKernelLog,      // host.kernel_log
  HostSlowdowns,      // host.slowdowns: what slows a card now, of one GPU at least
  HostPower,          // host.power: limit and the card's own limit, of one GPU at least
  HostMig,            // host.mig: whether cards are split into instances, of one GPU at least
  HostComputeMode,    // host.compute_mode, of one GPU at least
  HostPersistence,    // host.persistence, of one GPU at least
  HostDisplay,        // host.display: whether a screen is driven, of one GPU at least
  HostFabric,         // host.fabric: of cards or of the manager's service
  HostBus,            // host.bus: the cards that stand on it
  HostPcie,           // host.pcie: width now, of one GPU at least
  HostPeers,          // host.peers: which cards reach each other directly
  HostNumaMemory,     // host.numa_memory: memory of each node
  HostLockedMemory,   // host.locked_memory: the limit
  HostOpenFiles,      // host.open_files: the limit
  HostInterfaces,     // host.interfaces of the network
  VisibleDevices,     // command.visible_devices: the mask resolves to GPUs
  MemoryBudget,       // memory.budget: the engine's memory can be computed
};

std::string_view name(Need need);
bool met(Need need, const Case& c);
// Why it is not met; only asked when it is not.
Message why_not(Need need, const Case& c);

}  // namespace sx
