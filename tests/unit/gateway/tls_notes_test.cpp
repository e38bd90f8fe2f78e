// What is said of a certificate that is used all the same.
#include <gtest/gtest.h>

#include "gateway/tls_door.h"

namespace sx {
namespace {

const TlsFiles kFiles{.certificate = "/etc/a.crt", .key = "/etc/a.key"};
constexpr TlsPeriod kPeriod{.from = 1'000'000, .until = 2'000'000};

std::vector<std::string> said(unsigned permissions, std::int64_t now) {
  std::vector<std::string> all;
  for (const Error& note : tls_notes(kFiles, kPeriod, permissions, now)) all.push_back(note.what);
  return all;
}
using Words = std::vector<std::string>;

TEST(TlsNotes, NothingIsSaidOfAGoodOne) {
  EXPECT_EQ(said(0600, 1'500'000), Words{});
  EXPECT_EQ(said(0640, 1'000'000), Words{});  // a group may be that of a pod
}

TEST(TlsNotes, AKeyThatOthersMayReadOrWrite) {
  const Words expected{
      "/etc/a.key is open to other users of this machine; "
      "`chmod 600 /etc/a.key` closes it"};
  EXPECT_EQ(said(0644, 1'500'000), expected);
  EXPECT_EQ(said(0602, 1'500'000), expected);
}

TEST(TlsNotes, ACertificateOutOfItsPeriod) {
  EXPECT_EQ(
      said(0600, 2'000'000),
      Words{"the certificate in /etc/a.crt ended on 1970-01-24 03:33 UTC: clients refuse it"});
  EXPECT_EQ(said(0600, 999'999), Words{"the certificate in /etc/a.crt begins on 1970-01-12 13:46 "
                                       "UTC: until then clients refuse it"});
  EXPECT_EQ(said(0604, 3'000'000).size(), 2U);
}

}  // namespace
}  // namespace sx
