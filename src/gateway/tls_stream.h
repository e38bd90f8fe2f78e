// A connection in TLS behind the calls that a plain one has: what was read comes decrypted, what is
// written leaves encrypted, and nothing waits.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>

#include "sys/tls.h"

namespace sx {

class TlsStream {
 public:
  explicit TlsStream(TlsSession session) : session_(std::move(session)) {}  // shaken hands

  // As recv() and sendmsg(): -1 and errno, 0 at the end. What is written is with the kernel.
  ssize_t read(void* to, std::size_t most);
  ssize_t write(std::span<const iovec> parts);
  // Nothing is left of what came, neither here nor in the kernel: an edge tells of more.
  bool drained() const { return session_.drained(); }
  void say_end() { session_.say_end(); }  // as far as it can be done now

 private:
  TlsSession session_;
  // Encrypted already, and not with the kernel: it has to go first, whatever is written next.
  std::string held_;
};

}  // namespace sx
