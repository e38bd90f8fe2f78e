// Pasted machine texts: any bytes are answered or refused; what is answered keeps its promises.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "fit/links.h"
#include "gather/gather_host_parts.h"
#include "gather/host_file.h"
#include "read/machine_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sx;
  Sources sources;
  const int source = sources.add(
      {.name = "pasted.txt", .text = std::string(reinterpret_cast<const char*>(data), size)});
  const auto machine = parse_machine_text(sources, source);
  if (!machine) return 0;
  SX_ASSERT(machine->gpus.size() <= 64);
  for (const auto* matrix : {&machine->topology.classes, &machine->topology.p2p}) {
    SX_ASSERT(matrix->empty() || matrix->size() == machine->topology.names.size());
    for (const auto& row : *matrix) SX_ASSERT(row.size() == matrix->size());
  }
  const HostSpec host = host_from_text(*machine, "pasted.txt");
  const int half = static_cast<int>(host.gpus.size() + 1) / 2;
  const auto pick = best_gpus(host, half);
  // What is written can be read again.
  Sources again;
  SX_ASSERT(host_from_json(again, again.add({.text = host_to_json(host, pick, half)})).has_value());
  return 0;
}
