// Probes and health checks by name, and what becomes of a launch whose probe is never answered.
#pragma once

#include <string_view>

#include "check/rule.h"

namespace sx::rules {

// "startupProbe", "healthcheck": as manifests call it.
std::string_view probe_name(HealthProbe::Kind kind);

// What the manager does when that probe fails for good, and when.
Message unanswered(const HealthProbe& probe);

// A probe that fails keeps the launch from serving; a health check only colours it.
Severity severity_of_failure(HealthProbe::Kind kind);

// The place to underline: what it asks, or the probe itself.
Span place_of_question(const HealthProbe& probe);

// A known port of its own network: no Unix socket, no part of a server that only computes.
bool listens_on_port(const Case& c);

// Another process may be what answers: another container of the pod, another command of the same
// container, or nothing that this launch says.
bool others_may_answer(const Case& c, int port);

}  // namespace sx::rules
