// Certificates and keys are read here and not by OpenSSL, so that sizes are bounded and the error
// says which file it is and what is wrong with it.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <array>
#include <ctime>

#include "sys/files.h"
#include "sys/tls.h"

namespace sx {
namespace {

constexpr Bytes kMostFile = mib(1);  // a chain is a few KiB, the list of a whole system half of it
// For TLS 1.2; those of 1.3 are all good. Forward secrecy and authenticated encryption alone.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

using Certificate = std::unique_ptr<X509, FreeTls>;

struct FreeMore {
  void operator()(BIO* bytes) const { BIO_free(bytes); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Memory = std::unique_ptr<BIO, FreeMore>;

Memory over(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Nobody is there to type one.
int no_passphrase(char*, int, int, void*) { return -1; }

std::string last_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string told = reason == nullptr ? "unknown reason" : reason;
  ERR_clear_error();
  return told;
}

std::unexpected<Error> not_taken(const std::string& file) {
  const std::string why = last_reason();
  return fail(Error::Kind::Damaged, "OpenSSL does not take " + file + ": " + why,
              "OpenSSL 不接受 " + file + "：" + why);
}

std::int64_t seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

Result<Certificate> first_certificate(BIO* bytes, const std::string& file) {
  Certificate first(PEM_read_bio_X509(bytes, nullptr, no_passphrase, nullptr));
  if (first) return first;
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return not_taken(file);
  ERR_clear_error();
  return fail(Error::Kind::Damaged,
              file + " holds no certificate: in PEM one begins with -----BEGIN CERTIFICATE-----",
              file + " 中没有证书：PEM 格式的证书以 -----BEGIN CERTIFICATE----- 开头");
}

Result<TlsPeriod> take_certificates(SSL_CTX* context, const std::string& file) {
  SX_TRY(const std::string text, real_files().read(file, kMostFile));
  const Memory bytes = over(text);
  SX_TRY(const Certificate first, first_certificate(bytes.get(), file));
  if (SSL_CTX_use_certificate(context, first.get()) != 1) return not_taken(file);
  while (X509* next = PEM_read_bio_X509(bytes.get(), nullptr, no_passphrase, nullptr)) {
    Certificate owned(next);
    if (SSL_CTX_add0_chain_cert(context, next) != 1) return not_taken(file);
    [[maybe_unused]] X509* given = owned.release();
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return not_taken(file);
  ERR_clear_error();  // the end of the file
  return TlsPeriod{.from = seconds_of(X509_get0_notBefore(first.get())),
                   .until = seconds_of(X509_get0_notAfter(first.get()))};
}

Result<void> take_key(SSL_CTX* context, const TlsFiles& files) {
  SX_TRY(std::string text, real_files().read(files.key, kMostFile));
  const std::unique_ptr<EVP_PKEY, FreeMore> key(
      PEM_read_bio_PrivateKey(over(text).get(), nullptr, no_passphrase, nullptr));
  OPENSSL_cleanse(text.data(), text.size());
  const int why = ERR_GET_REASON(ERR_peek_last_error());
  if (!key && why == PEM_R_BAD_PASSWORD_READ) {
    ERR_clear_error();
    return fail(Error::Kind::Unsupported,
                files.key + " has a passphrase, and nobody is there to type it",
                files.key + " 的私钥有口令保护，而运行时无人输入口令");
  }
  if (!key) {
    ERR_clear_error();
    return fail(
        Error::Kind::Damaged,
        files.key + " holds no private key: in PEM one begins with -----BEGIN PRIVATE KEY-----",
        files.key + " 中没有私钥：PEM 格式的私钥以 -----BEGIN PRIVATE KEY----- 开头");
  }
  if (X509_check_private_key(SSL_CTX_get0_certificate(context), key.get()) != 1) {
    ERR_clear_error();
    return fail(Error::Kind::Damaged,
                files.key + " is not the key of the first certificate in " + files.certificate,
                files.key + " 与 " + files.certificate + " 中的第一张证书不匹配");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return not_taken(files.key);
  return {};
}

// HTTP/1.1 is all that is spoken behind it: whoever offers others alone is told at once.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned size, void*) {
  static constexpr std::array<unsigned char, 9> kOurs{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, out_size, kOurs.data(), kOurs.size(), offered, size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = found;
  return SSL_TLSEXT_ERR_OK;
}

std::unique_ptr<SSL_CTX, FreeTls> new_context(const SSL_METHOD* method) {
  ERR_clear_error();
  std::unique_ptr<SSL_CTX, FreeTls> context(SSL_CTX_new(method));
  if (!context) return context;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context.get(), kCiphers);
  // Bodies say themselves where they end, so an end without a goodbye is an end like another.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_IGNORE_UNEXPECTED_EOF);
  // An idle connection holds no buffers; what waits to be written may move.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Sessions are resumed by tickets, which the client keeps; a list of ours would grow.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

std::unexpected<Error> no_openssl() {
  const std::string why = last_reason();
  return fail(Error::Kind::Damaged, "OpenSSL does not begin: " + why, "OpenSSL 无法初始化：" + why);
}

// The very certificate, and nothing about who vouches for it.
int is_the_one(X509_STORE_CTX* store, void* wanted) {
  const bool same = X509_cmp(X509_STORE_CTX_get0_cert(store), static_cast<X509*>(wanted)) == 0;
  X509_STORE_CTX_set_error(store, same ? X509_V_OK : X509_V_ERR_CERT_UNTRUSTED);
  return same ? 1 : 0;
}

}  // namespace

void FreeTls::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void FreeTls::operator()(ssl_st* connection) const { SSL_free(connection); }
void FreeTls::operator()(x509_st* certificate) const { X509_free(certificate); }

Result<TlsContext> TlsContext::of_server(const TlsFiles& files) {
  TlsContext made;
  made.context_ = new_context(TLS_server_method());
  if (!made.context_) return no_openssl();
  SSL_CTX_set_read_ahead(made.context_.get(), 1);  // a record's head and its rest by one call
  SSL_CTX_set_alpn_select_cb(made.context_.get(), choose_protocol, nullptr);
  SSL_CTX_set_num_tickets(made.context_.get(), 1);
  SX_TRY(made.period_, take_certificates(made.context_.get(), files.certificate));
  if (auto taken = take_key(made.context_.get(), files); !taken)
    return std::unexpected(taken.error());
  return made;
}

Result<TlsContext> TlsContext::of_client(const TlsTrust& trust) {
  TlsContext made;
  made.context_ = new_context(TLS_client_method());
  SSL_CTX* context = made.context_.get();
  if (context == nullptr) return no_openssl();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (!trust.only.empty()) {
    SX_TRY(const std::string text, real_files().read(trust.only, kMostFile));
    SX_TRY(made.only_, first_certificate(over(text).get(), trust.only));
    SSL_CTX_set_cert_verify_callback(context, is_the_one, made.only_.get());
  } else if (!trust.ca_file.empty()) {
    SX_TRY(const std::string text, real_files().read(trust.ca_file, kMostFile));
    const Memory bytes = over(text);
    SX_TRY(Certificate one, first_certificate(bytes.get(), trust.ca_file));
    while (one) {
      if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get()) != 1)
        return not_taken(trust.ca_file);
      one.reset(PEM_read_bio_X509(bytes.get(), nullptr, no_passphrase, nullptr));
    }
    ERR_clear_error();
  } else if (SSL_CTX_set_default_verify_paths(context) != 1) {
    return no_openssl();
  }
  return made;
}

}  // namespace sx
