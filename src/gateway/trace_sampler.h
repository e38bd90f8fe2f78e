// Which traces are kept, decided at their beginning (head sampling), as OpenTelemetry's samplers
// do: by the trace's own number, so that everybody who looks at the same number decides the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/trace_context.h"

namespace sx {

struct TraceSampler {
  bool obeys_client = true;  // a trace that a client began is kept where the client keeps it
  double ratio = 1;          // of those for which nobody has decided: 0 to 1
  bool operator==(const TraceSampler&) const = default;

  // `asked`: by the client; null: it began none. `trace_end`: the last 64 bits of its number.
  bool keeps(const TraceContext* asked, std::uint64_t trace_end) const;
};

// "0.25". Empty: not a number from 0 to 1.
std::optional<double> read_ratio(std::string_view text);

// What OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say. `note`: what of them is passed over.
struct SamplerRead {
  TraceSampler sampler;
  std::optional<Error> note;
};
SamplerRead sampler_in(
    const std::function<std::optional<std::string>(const std::string& name)>& variables);

}  // namespace sx
