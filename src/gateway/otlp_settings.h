// Where traces go, read from the flag and from the variables that OpenTelemetry's own programs
// know.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/span_line.h"
#include "gateway/trace_sampler.h"

namespace sx {

struct OtlpSettings {
  std::string url;                   // of a POST; empty: no traces
  std::vector<std::string> headers;  // "name: value", such as a key of the collector
  SpanResource resource;             // who we are
  TraceSampler sampler;              // which traces are kept
  std::optional<Error> note;         // what of the variables is passed over, to be said once
  bool wanted() const { return !url.empty(); }
};

using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// `endpoint`: of the flag or the deployment file; empty: what the variables say. Usage: what of it
// cannot be used.
// `sample`: the part of all traces that is kept, which counts before the variables.
Result<OtlpSettings> otlp_settings(std::string_view endpoint, const Variables& variables,
                                   std::optional<double> sample = {});
// The same without asking the variables where to, which is for the file of a deployment to say.
Result<OtlpSettings> otlp_settings_at(std::string_view endpoint, const Variables& variables,
                                      std::optional<double> sample = {});

}  // namespace sx
