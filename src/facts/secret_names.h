// By their names: flags and variables whose values are nobody's business.
#pragma once

#include <string_view>

namespace sx {

// A key, a token or a password: "--api-key", "HF_TOKEN", "S3_SECRET_ACCESS_KEY". Nothing that
// counts tokens of text.
bool names_secret(std::string_view name);

// The same, or a mistyped "--api-key": for a flag that no engine has.
bool nearly_names_secret(std::string_view name);

// The same in doubt, for an environment that nobody chose to show: any part of the name that may
// speak of a secret ("DB_AUTH_URL", "TOKEN_2").
bool may_name_secret(std::string_view name);

}  // namespace sx
