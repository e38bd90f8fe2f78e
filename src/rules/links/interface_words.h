// What the two rules about network interfaces say alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/launch_variables.h"
#include "check/rule.h"

namespace sx::rules {

// NCCL's list: prefixes, "^a,b" leaves out, "=a,b" takes exact names; the sign stands for the whole
// list. Whether any interface of the machine is meant by it.
bool nccl_finds(std::string_view list, const std::vector<std::string>& interfaces);

// Gloo's: exact names, the first counts.
bool gloo_finds(std::string_view list, const std::vector<std::string>& interfaces);

// Those that may reach another machine: neither the loop nor bridges of containers.
std::vector<std::string> outer_interfaces(const std::vector<std::string>& interfaces);

// "eth0, ib0, …": the first few.
std::string shown_interfaces(const std::vector<std::string>& interfaces);

// The whole complaint about a variable that names no interface of the machine.
Complaint no_such_interface(const Case& c, const LaunchVariable& variable, const Text& otherwise);

}  // namespace sx::rules
