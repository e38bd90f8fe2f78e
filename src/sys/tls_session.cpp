// Every call of OpenSSL here is followed by a look at its list of errors, which is the thread's.
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "sys/tls.h"

namespace sx {
namespace {

// Records in a row without data: new keys, offers of another handshake. OpenSSL reads on behind
// each of them, so that one client who sends nothing else would keep its thread from all others.
// As many new keys as BoringSSL takes; Go's limit is 16.
constexpr int kMostEmptyRecords = 32;

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

// Calls of the system of our own: they raise no signal, and they see how much a read brought, so
// that nobody has to read once more to learn that there is nothing.
int TlsSession::send(BIO* bio, const char* bytes, int size) {
  const auto& socket = *static_cast<const Socket*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  ssize_t count = 0;
  do {
    count = ::send(socket.fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int TlsSession::receive(BIO* bio, char* to, int most) {
  auto& socket = *static_cast<Socket*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (socket.empty_records > kMostEmptyRecords) return -1;  // it is broken
  ssize_t count = 0;
  do {
    count = ::recv(socket.fd, to, static_cast<std::size_t>(most), MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  // Its end has to be read too.
  socket.drained = count != 0 && count < most;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(count);
}

long TlsSession::control(BIO* bio, int what, long, void*) {
  if (what == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return what == BIO_CTRL_FLUSH ? 1 : 0;  // nothing is kept back
}

// Told of the head of each record, among other things.
void TlsSession::see(int written, int, int type, const void*, std::size_t, SSL*, void* socket) {
  auto& seen = *static_cast<Socket*>(socket);
  if (written == 0 && type == SSL3_RT_HEADER && seen.shaken) ++seen.empty_records;
}

bool TlsSession::begin(const TlsContext& context, int socket) {
  static BIO_METHOD* const calls = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "a socket");
    if (made == nullptr) return made;
    BIO_meth_set_write(made, &TlsSession::send);
    BIO_meth_set_read(made, &TlsSession::receive);
    BIO_meth_set_ctrl(made, &TlsSession::control);
    return made;
  }();
  BIO* const bio = calls == nullptr ? nullptr : BIO_new(calls);
  if (bio == nullptr) return false;
  socket_ = std::make_unique<Socket>(Socket{.fd = socket});
  BIO_set_data(bio, socket_.get());
  BIO_set_init(bio, 1);
  session_.reset(SSL_new(context.context_.get()));
  if (!session_) {
    BIO_free(bio);
    return false;
  }
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_msg_callback(session_.get(), &TlsSession::see);
  SSL_set_msg_callback_arg(session_.get(), socket_.get());
  return true;
}

TlsSession::TlsSession(const TlsContext& context, int socket) {
  if (begin(context, socket)) SSL_set_accept_state(session_.get());
}

TlsSession::TlsSession(const TlsContext& context, int socket, const std::string& host) {
  if (!begin(context, socket)) return;
  SSL_set_connect_state(session_.get());
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), host.c_str());
  } else {
    SSL_set1_host(session_.get(), host.c_str());
    SSL_set_tlsext_host_name(session_.get(), host.c_str());
  }
}

TlsSession::Step TlsSession::step_of(int returned) {
  switch (SSL_get_error(session_.get(), returned)) {
    case SSL_ERROR_NONE:
      return Step::Done;
    case SSL_ERROR_WANT_READ:
      return Step::WantsRead;
    case SSL_ERROR_WANT_WRITE:
      return Step::WantsWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Step::Ended;
    default:
      break;
  }
  const unsigned long error = ERR_peek_error();
  const bool plain =
      ERR_GET_LIB(error) == ERR_LIB_SSL && (ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST ||
                                            ERR_GET_REASON(error) == SSL_R_HTTPS_PROXY_REQUEST);
  if (const char* reason = ERR_reason_error_string(error)) why_ = reason;
  const long verified = SSL_get_verify_result(session_.get());
  if (verified != X509_V_OK) why_ = X509_verify_cert_error_string(verified);
  ERR_clear_error();
  return plain ? Step::Plain : Step::Broken;
}

TlsSession::Step TlsSession::shake_hands() {
  if (!session_) return Step::Broken;  // memory was not there
  ERR_clear_error();
  const int returned = SSL_do_handshake(session_.get());
  socket_->shaken = returned == 1;
  return step_of(returned);
}

TlsSession::Moved TlsSession::read(char* to, std::size_t most) {
  std::size_t count = 0;
  ERR_clear_error();
  const int returned = SSL_read_ex(session_.get(), to, most, &count);
  if (socket_->empty_records > kMostEmptyRecords) {
    ERR_clear_error();
    return {.step = Step::Broken};
  }
  if (returned != 1) return {.step = step_of(returned)};
  socket_->empty_records = 0;
  return {.step = Step::Done, .bytes = count};
}

TlsSession::Moved TlsSession::write(std::string_view bytes) {
  std::size_t count = 0;
  ERR_clear_error();
  const int returned = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  if (returned == 1) return {.step = Step::Done, .bytes = count};
  return {.step = step_of(returned)};
}

TlsSession::Step TlsSession::say_end() {
  ERR_clear_error();
  const int returned = SSL_shutdown(session_.get());
  return returned >= 0 ? Step::Done : step_of(returned);
}

bool TlsSession::drained() const {
  return socket_->drained && SSL_has_pending(session_.get()) == 0;
}

std::string TlsSession::why() const { return why_; }

}  // namespace sx
