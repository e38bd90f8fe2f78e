// Logs before they are shown to strangers: keys and tokens by the name in front of them or by their
// own look, and on request hosts and addresses. Lines and everything else stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

// "***" in the place of each secret.
std::string without_secrets_in_text(std::string_view text);

// "host-1", "host-2" for the names, "address-1" for each IPv4 address that is not of this host
// alone. The same name is the same number everywhere in the text.
std::string without_hosts(std::string_view text, const std::vector<std::string>& names);

}  // namespace sx
