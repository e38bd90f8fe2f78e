// The words that a certificate brings about; OpenSSL 1.1 wrote some of them without a hyphen.
#include "cli/tls_words.h"

#include <array>
#include <string_view>

namespace sx {
namespace {

struct Row {
  std::string_view openssl, chinese;
  bool issuer_unknown = false;
};

constexpr std::array kRows{
    Row{"IP address mismatch", "证书不是签发给这个 IP 地址的"},
    Row{"hostname mismatch", "证书不是签发给这个主机名的"},
    Row{"certificate has expired", "证书已过期"},
    Row{"certificate is not yet valid", "证书尚未生效"},
    Row{"self-signed certificate", "证书是自签名的", true},
    Row{"self signed certificate", "证书是自签名的", true},
    Row{"self-signed certificate in certificate chain", "证书链中有不受信任的自签名证书", true},
    Row{"self signed certificate in certificate chain", "证书链中有不受信任的自签名证书", true},
    Row{"unable to get local issuer certificate", "不认识证书的签发者", true},
    Row{"unable to verify the first certificate", "不认识证书的签发者", true},
    Row{"wrong version number", "对方没有使用 TLS"},
};

}  // namespace

TlsWords tls_words(const std::string& openssl) {
  for (const Row& row : kRows) {
    if (row.openssl == openssl)
      return {.why = {openssl, std::string(row.chinese)}, .issuer_unknown = row.issuer_unknown};
  }
  return {.why = {openssl, openssl}};
}

}  // namespace sx
