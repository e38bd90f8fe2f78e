// TLS as a socket sees it: what a pair of files makes of us, and one connection's bytes encrypted
// and decrypted. Nothing here waits; whoever calls does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_ctx_st;
struct ssl_st;
struct x509_st;
struct bio_st;

namespace sx {

struct TlsFiles {
  std::string certificate;  // PEM: the server's own first, then those that vouch for it
  std::string key;          // PEM, without a passphrase
  bool wanted() const { return !certificate.empty(); }
  bool operator==(const TlsFiles&) const = default;
};

// In which a certificate is good, in seconds since 1970.
struct TlsPeriod {
  std::int64_t from = 0, until = 0;
};

// Whom a client of ours trusts.
struct TlsTrust {
  std::string ca_file;  // PEM, instead of those that the system trusts; empty: those
  std::string only;     // PEM: a server with this very certificate, whatever its name; empty: any
};

struct FreeTls {
  void operator()(ssl_ctx_st* context) const;
  void operator()(ssl_st* connection) const;
  void operator()(x509_st* certificate) const;
};

class TlsContext {
 public:
  // TLS 1.2 and 1.3, HTTP/1.1 alone, no certificate of the client asked for. The error names the
  // file and why it cannot be used.
  static Result<TlsContext> of_server(const TlsFiles& files);
  static Result<TlsContext> of_client(const TlsTrust& trust);

  const TlsPeriod& period() const { return period_; }  // of a server's certificate

 private:
  friend class TlsSession;
  TlsContext() = default;
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
  std::unique_ptr<x509_st, FreeTls> only_;
  TlsPeriod period_;
};

// One connection. It uses the socket and does not own it.
class TlsSession {
 public:
  // As a server.
  TlsSession(const TlsContext& context, int socket);
  // As a client, to a host whose name its certificate has to carry; the context has to live on.
  TlsSession(const TlsContext& context, int socket, const std::string& host);

  enum class Step {
    Done,
    WantsRead,   // again, when the socket can be read
    WantsWrite,  // again, when it can be written
    Ended,       // the other side has said its last
    Plain,       // in the place of a handshake came HTTP that nobody encrypted
    Broken
  };
  struct Moved {
    Step step = Step::Broken;
    std::size_t bytes = 0;  // when it is done
  };
  Step shake_hands();
  Moved read(char* to, std::size_t most);
  // Again with the same bytes when it is not done; they may lie elsewhere.
  Moved write(std::string_view bytes);
  Step say_end();
  // After a read: nothing is left of what has come, neither here nor in the kernel.
  bool drained() const;
  std::string why() const;  // it is broken, in OpenSSL's words

 private:
  struct Socket {
    int fd = -1;
    bool drained = false;   // its last read brought less than was asked for
    bool shaken = false;    // hands; what comes now is data, mostly
    int empty_records = 0;  // in a row, since data came
  };
  static int send(bio_st* bio, const char* bytes, int size);
  static int receive(bio_st* bio, char* to, int most);
  static long control(bio_st* bio, int what, long number, void* more);
  static void see(int written, int version, int type, const void* bytes, std::size_t size,
                  ssl_st* session, void* socket);
  bool begin(const TlsContext& context, int socket);
  Step step_of(int returned);
  std::unique_ptr<Socket> socket_;  // the session points to it
  std::unique_ptr<ssl_st, FreeTls> session_;
  std::string why_;
};

}  // namespace sx
