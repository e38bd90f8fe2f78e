// Certificates that tests make for themselves, in PEM: none lies in the repository, and none ends.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace sx::test {

struct Pem {
  std::string certificate, key;
};

inline std::string text_of(BIO* bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bytes);
  return text;
}

// For "localhost" and 127.0.0.1, good from and until so many seconds from now. With a passphrase
// the key is encrypted.
inline Pem make_pem(long from = -3600, long until = 3600, const char* passphrase = nullptr) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), until);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  X509_EXTENSION* names =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  X509_add_ext(made.get(), names, -1);
  X509_EXTENSION_free(names);
  X509_sign(made.get(), key.get(), EVP_sha256());
  BIO* certificate = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate, made.get());
  BIO* private_key = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(private_key, key.get(),
                           passphrase == nullptr ? nullptr : EVP_aes_256_cbc(), nullptr, 0, nullptr,
                           const_cast<char*>(passphrase));
  return {.certificate = text_of(certificate), .key = text_of(private_key)};
}

}  // namespace sx::test
