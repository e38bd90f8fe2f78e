// What the gateway does with a path of an engine (data/gateway_paths.tsv): one without a row is not
// let through.
#pragma once

#include <string_view>

namespace sx {

// Whose shape errors have there.
enum class Surface { OpenAi, Responses, Anthropic };

struct GatewayPath {
  std::string_view path;
  bool relayed = false;  // false: for the administration of an engine, never for clients
  Surface surface = Surface::OpenAi;
  bool again = false;          // may be sent a second time when no answer has begun
  std::string_view operation;  // as OpenTelemetry's conventions name it; empty: they do not
};

// Null: no row.
const GatewayPath* gateway_path(std::string_view path);

}  // namespace sx
