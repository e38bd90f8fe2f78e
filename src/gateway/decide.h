// What becomes of a request by its first line alone.
#pragma once

#include <optional>

#include "gateway/refusals.h"

namespace sx {

struct RequestFate {
  enum class Kind {
    Relayed,
    Models,
    OneModel,
    Health,
    Ready,
    Metrics,
    Refused
  } kind = Kind::Refused;
  const GatewayPath* path = nullptr;  // of a relayed one
  std::string_view model;             // of OneModel
  Refusal refusal;
};
RequestFate fate_of(const RequestHead& head);

}  // namespace sx
