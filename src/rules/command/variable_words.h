// What the rules about environment variables share: which settings count, who reads them, how they
// are quoted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "knowledge/library_variables.h"
#include "knowledge/variables.h"

namespace sx::rules {

// Settings that the launch's own text makes, the last of each name. Those that come from an image
// have no place and are not among them.
std::vector<const Setting*> own_settings(const Case& c);

// Whether the launch sets a variable of that name at all.
bool sets(const Case& c, std::string_view name);

// "NAME=value", shortened; the value of a key or token is not shown.
std::string shown_setting(const Setting& setting);

// The engine or one of the libraries below it reads a variable of that name.
bool somebody_reads(const Case& c, std::string_view name);

// The text around the launch reads $NAME or ${NAME…} itself.
bool used_in_text(const Case& c, const Span& place, std::string_view name);

// Words that people write for "on" and "off".
bool says_on(std::string_view value);
bool says_off(std::string_view value);

// The launch without a setting that changes nothing.
void propose_without(Complaint& complaint, const Setting& setting);

// Where it is set, and what to do there when a changed command cannot mend it.
void mark_setting(Diagnostic& d, const Setting& setting, Message label);

}  // namespace sx::rules
