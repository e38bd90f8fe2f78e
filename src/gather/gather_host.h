// From `--on MACHINE`, a pasted text, a saved file or this machine to what the machine is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "facts/host_spec.h"
#include "gather/outside.h"

namespace sx {

struct HostAsk {
  std::optional<std::string> on;        // --on
  std::optional<std::string> topology;  // --topology FILE
  std::optional<std::string> driver, cuda;
  std::optional<std::string> shm;   // "64MiB"
  std::optional<std::string> free;  // "0=20GiB,1=18GiB"
};

// An error for a machine that cannot be read or a card that nobody knows (with the closest names):
// exit 2.
Result<HostSpec> gather_host(Sources& sources, const HostAsk& ask, const Outside& outside);

// "6xA100-PCIE-40GB", "2xH100-SXM+2xL40S".
Result<HostSpec> parse_machine_name(std::string_view text);

// 64MiB, 16g, 1.5GB, 1024 (bytes). Units count in 1024, as docker and nvidia-smi do: GB, G and GiB
// are the same.
Result<Bytes> parse_bytes(std::string_view text);

}  // namespace sx
