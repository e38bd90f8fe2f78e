// Number formats that an engine takes, by version: least compute capability and types of
// activations (data/engines/<engine>/quantisation.tsv).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/flags.h"
#include "knowledge/gpus.h"

namespace sx {

// Method: a name that --quantization and checkpoints use. Scheme: a kind of checkpoint within a
// method, "fp8 block". Native: units of the card that compute in the format. Cache: KV cache.
// Deprecated: refused unless asked for twice.
enum class QuantisationKind { Method, Scheme, Native, Cache, Deprecated };

struct QuantisationRow {
  QuantisationKind kind = QuantisationKind::Method;
  std::string_view name;
  std::optional<Version> since;  // empty: in the oldest version read
  std::optional<Version> until;  // last version read that is so; empty: the newest is
  std::optional<ComputeCapability>
      capability;                        // least one; empty: unknown, or not for NVIDIA cards
  std::vector<std::string_view> dtypes;  // "float16", "bfloat16", "float32"; empty: unknown
  std::string_view note;
  std::string_view source;
};

// The row that holds for the version; null when none does, which also means "not known".
const QuantisationRow* quantisation_in(std::string_view engine, QuantisationKind kind,
                                       std::string_view name, const Version& version);

// Whether a version has the method; empty: no version that was read has it, or the engine has no
// table.
std::optional<Standing> method_standing(std::string_view engine, std::string_view name,
                                        const Version& version);

// The first and the last version read that have the method; `last` is empty when the newest has it.
struct MethodSpan {
  std::optional<Version> first, last;
};
MethodSpan method_span(std::string_view engine, std::string_view name);

// Methods of a version for NVIDIA cards, in order.
std::vector<std::string_view> quantisation_methods(std::string_view engine, const Version& version);

}  // namespace sx
