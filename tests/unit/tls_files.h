// The files that a server speaks TLS with, written where a test says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sys/save_file.h"
#include "sys/tls.h"
#include "unit/certificates.h"

namespace sx::test {

inline TlsFiles tls_files(const std::string& folder, const Pem& pem = make_pem(),
                          const std::string& name = "server") {
  const TlsFiles made{.certificate = folder + '/' + name + ".crt",
                      .key = folder + '/' + name + ".key"};
  EXPECT_TRUE(save_file(made.certificate, pem.certificate, 0600));
  EXPECT_TRUE(save_file(made.key, pem.key, 0600));
  return made;
}

}  // namespace sx::test
