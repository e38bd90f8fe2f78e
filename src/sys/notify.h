// Telling a service manager (systemd, Type=notify) how it goes.
#pragma once

#include <string_view>

namespace sx {

// "READY=1", "STOPPING=1", "STATUS=…" to the socket named in NOTIFY_SOCKET; nothing without one.
void notify_service_manager(std::string_view words);

}  // namespace sx
