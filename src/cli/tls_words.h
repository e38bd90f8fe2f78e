// Why there is no TLS with an address: OpenSSL says it in English, people read it in both
// languages.
#pragma once

#include <string>

#include "base/both.h"

namespace sx {

struct TlsWords {
  Both why;
  bool issuer_unknown = false;  // naming whom to trust would help
};

// Of OpenSSL's words; those that nobody meets stay in English.
TlsWords tls_words(const std::string& openssl);

}  // namespace sx
