// What OpenSSL refuses a certificate for is read in both languages.
#include "cli/tls_words.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(TlsWords, ChineseHasItsOwnAndRareOnesStay) {
  const TlsWords self_signed = tls_words("self-signed certificate");
  EXPECT_EQ(self_signed.why.english, "self-signed certificate");
  EXPECT_EQ(self_signed.why.chinese, "证书是自签名的");
  EXPECT_TRUE(self_signed.issuer_unknown);
  EXPECT_EQ(tls_words("IP address mismatch").why.chinese, "证书不是签发给这个 IP 地址的");
  EXPECT_FALSE(tls_words("IP address mismatch").issuer_unknown);
  EXPECT_EQ(tls_words("dh key too small").why.chinese, "dh key too small");
}

}  // namespace
}  // namespace sx
