// `diagnose --follow FILE`: watches a log that grows and speaks when a cause opens or is over.
#pragma once

#include "cli/commands.h"
#include "diag/render.h"

namespace sx {

// Until an interrupt (130).
int diagnose_follow(const Arguments& arguments, Session& session, const Style& style);

}  // namespace sx
