// The client's end of TLS 1.3 with one cipher for every server, so that all of them do the same work.
// Nothing is verified: what is measured is what a server's connections cost.
#pragma once

#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <cstddef>

#include "rig.h"

namespace rig {

class Encryption {
 public:
  Encryption() : context_(SSL_CTX_new(TLS_client_method())) {
    const bool good = context_ != nullptr && SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION) == 1 &&
                      SSL_CTX_set_ciphersuites(context_, "TLS_AES_128_GCM_SHA256") == 1;
    if (!good) give_up("TLS");
    SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  }
  ~Encryption() { SSL_CTX_free(context_); }
  Encryption(const Encryption&) = delete;
  Encryption& operator=(const Encryption&) = delete;

  // Shakes hands on a connected socket, which does not block from then on.
  SSL* begin(int fd) const {
    SSL* one = SSL_new(context_);
    if (one == nullptr || SSL_set_fd(one, fd) != 1 || SSL_connect(one) != 1) give_up("handshake");
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) give_up("fcntl");
    return one;
  }

 private:
  SSL_CTX* context_;
};

// As read() and write(): bytes, 0 at the end or -1. Nothing to read now is -2.
inline long read_some(SSL* from, char* into, std::size_t room) {
  std::size_t count = 0;
  if (SSL_read_ex(from, into, room, &count) == 1) return static_cast<long>(count);
  switch (SSL_get_error(from, 0)) {
    case SSL_ERROR_WANT_READ:
      return -2;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      return -1;
  }
}

inline long write_some(SSL* to, const char* bytes, std::size_t size) {
  std::size_t count = 0;
  while (SSL_write_ex(to, bytes, size, &count) != 1) {
    if (SSL_get_error(to, 0) != SSL_ERROR_WANT_WRITE) return -1;
    pollfd wait{SSL_get_fd(to), POLLOUT, 0};
    if (poll(&wait, 1, 1000) <= 0) return -1;
  }
  return static_cast<long>(count);
}

}  // namespace rig
