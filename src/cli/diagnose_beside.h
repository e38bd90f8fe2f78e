// What NCCL, torch's watchdog, the kernel and the stacks tell, one sentence a thing, as text and as
// a part of the document.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "cli/diagnose_answer.h"
#include "facts/host_spec.h"
#include "logs/beside.h"

namespace sx {

// `host` gives GPUs their numbers and links; null: it is not known.
std::vector<BesideNote> beside_notes(const Beside& beside, const HostSpec* host);

// "nccl", "collectives", "flight_recorder", "kernel", "stacks": only what is there.
void add_beside_json(boost::json::object& document, const Beside& beside, const HostSpec* host);

}  // namespace sx
