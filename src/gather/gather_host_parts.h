// The steps of gather_host, one file each: a text to a machine, and what the person says on top of
// it.
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "facts/host_spec.h"
#include "gather/gather_host.h"
#include "read/machine_text.h"

namespace sx {

// A pasted text as a machine; `name` is the file's.
HostSpec host_from_text(const MachineText& text, std::string name);

// Links, affinities and network cards of a `topo` text put on a machine. An error when the counts
// of GPUs differ.
Result<int> add_topology(HostSpec& host, const PastedTopology& topology);

// --driver, --cuda, --shm and --free on top of what was found. Usage errors name the flag.
Result<int> apply_overrides(HostSpec& host, const HostAsk& ask);

}  // namespace sx
