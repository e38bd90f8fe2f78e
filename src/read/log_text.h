// The words of a log line without what terminals and collectors put around them: colours, and the
// JSON that a container runtime or a structured logger writes.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// The line without escape sequences; `scratch` holds the copy when one is needed.
std::string_view without_escapes(std::string_view line, std::string& scratch);

// What one JSON record says, from its "log", "message", "msg" or "MESSAGE"; the line itself when it
// is no such record. Ends of lines within the message become blanks.
std::string_view message_of_record(std::string_view line, std::string& scratch);

}  // namespace sx
