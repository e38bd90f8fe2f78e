// Two ends of a pair of sockets that speak TLS: who is trusted, what goes over, how it ends; and
// files that cannot be used, each told with its name and its reason.
#include "sys/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <ctime>
#include <tuple>

#include "base/unique_fd.h"
#include "sys/save_file.h"
#include "unit/run/temporary_folder.h"
#include "unit/sockets.h"
#include "unit/tls_files.h"

namespace sx {
namespace {

using Step = TlsSession::Step;
using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  void SetUp() override { std::tie(server_end_, client_end_) = test::joined_pair(); }

  TlsFiles files(const test::Pem& pem, const std::string& name = "server") {
    return test::tls_files(folder_.path(), pem, name);
  }

  // Until both are done or one of them cannot go on.
  static std::pair<Step, Step> shake_hands(TlsSession& server, TlsSession& client) {
    Step one = Step::WantsRead, other = Step::WantsRead;
    const auto waits = [](Step step) { return step == Step::WantsRead; };
    for (int i = 0; i < 20 && (waits(one) || waits(other)); ++i) {
      if (waits(other)) other = client.shake_hands();
      if (waits(one)) one = server.shake_hands();
      if (one == Step::Broken || other == Step::Broken) break;
    }
    return {one, other};
  }

  std::string refusal(const TlsFiles& wrong) {
    const auto made = TlsContext::of_server(wrong);
    return made ? "" : made.error().what;
  }

  test::TemporaryFolder folder_;
  UniqueFd server_end_, client_end_;
};

TEST_F(TlsTest, BytesGoBothWaysAndAnEndIsSaid) {
  const TlsFiles made = files(test::make_pem());
  const auto ours = TlsContext::of_server(made);
  const auto theirs = TlsContext::of_client({.ca_file = made.certificate, .only = ""});
  ASSERT_TRUE(ours && theirs);
  TlsSession server(*ours, server_end_.get());
  TlsSession client(*theirs, client_end_.get(), "localhost");
  ASSERT_EQ(shake_hands(server, client), std::pair(Step::Done, Step::Done)) << client.why();
  EXPECT_EQ(client.write("question").step, Step::Done);
  std::array<char, 64> got{};
  const auto question = server.read(got.data(), got.size());
  EXPECT_EQ(std::string_view(got.data(), question.bytes), "question");
  EXPECT_EQ(server.read(got.data(), got.size()).step, Step::WantsRead);
  EXPECT_EQ(server.write("answer").step, Step::Done);
  EXPECT_EQ(server.say_end(), Step::Done);
  const auto answer = client.read(got.data(), got.size());
  EXPECT_EQ(std::string_view(got.data(), answer.bytes), "answer");
  EXPECT_EQ(client.read(got.data(), got.size()).step, Step::Ended);
  // The other direction is still open.
  EXPECT_EQ(client.write("more").step, Step::Done);
  EXPECT_EQ(server.read(got.data(), got.size()).bytes, 4U);
}

TEST_F(TlsTest, AWriteThatIsNotTakenGoesOnFromElsewhere) {
  const TlsFiles made = files(test::make_pem());
  const auto ours = TlsContext::of_server(made);
  const auto theirs = TlsContext::of_client({.ca_file = "", .only = made.certificate});
  ASSERT_TRUE(ours && theirs);
  TlsSession server(*ours, server_end_.get());
  TlsSession client(*theirs, client_end_.get(), "some.where");
  ASSERT_EQ(shake_hands(server, client), std::pair(Step::Done, Step::Done)) << client.why();
  const std::string piece(16'384, 'x');
  std::size_t written = 0;
  TlsSession::Moved moved{};
  while ((moved = server.write(piece)).step == Step::Done) written += moved.bytes;
  ASSERT_EQ(moved.step, Step::WantsWrite);
  std::size_t read = 0;
  std::string got(16'384, ' ');
  while (read < written + piece.size()) {
    const std::string copy = piece;
    if (moved.step != Step::Done) moved = server.write(copy);
    const auto part = client.read(got.data(), got.size());
    ASSERT_EQ(part.step, Step::Done);
    read += part.bytes;
  }
  EXPECT_EQ(read, written + piece.size());
}

TEST_F(TlsTest, AStrangerIsNotTrusted) {
  const TlsFiles made = files(test::make_pem());
  const TlsFiles other = files(test::make_pem(), "other");
  const auto ours = TlsContext::of_server(made);
  ASSERT_TRUE(ours);
  struct Row {
    TlsTrust trust;
    const char *host, *why;
  };
  for (const Row& row : {Row{{.ca_file = other.certificate, .only = ""}, "localhost", "self"},
                         Row{{.ca_file = "", .only = other.certificate}, "localhost", "trusted"},
                         Row{{.ca_file = made.certificate, .only = ""}, "example.com", "ostname"},
                         Row{{.ca_file = made.certificate, .only = ""}, "127.0.0.2", "IP"}}) {
    SetUp();
    const auto theirs = TlsContext::of_client(row.trust);
    ASSERT_TRUE(theirs);
    TlsSession server(*ours, server_end_.get());
    TlsSession client(*theirs, client_end_.get(), row.host);
    EXPECT_EQ(shake_hands(server, client).second, Step::Broken) << row.host;
    EXPECT_THAT(client.why(), HasSubstr(row.why));
  }
}

TEST_F(TlsTest, OneWhoSpeaksHttpIsKnown) {
  const auto ours = TlsContext::of_server(files(test::make_pem()));
  ASSERT_TRUE(ours);
  for (const std::string_view words :
       {"GET / HTTP/1.1\r\n\r\n", "POST /v1/chat HTTP/1.1\r\n\r\n"}) {
    SetUp();
    TlsSession server(*ours, server_end_.get());
    EXPECT_EQ(::send(client_end_.get(), words.data(), words.size(), 0),
              static_cast<ssize_t>(words.size()));
    EXPECT_EQ(server.shake_hands(), Step::Plain);
  }
  SetUp();
  TlsSession server(*ours, server_end_.get());
  EXPECT_EQ(::send(client_end_.get(), "\x80\x80\x80\x80\x80\x80\x80", 7, 0), 7);
  EXPECT_EQ(server.shake_hands(), Step::Broken);
}

TEST_F(TlsTest, FilesThatCannotBeUsedAreTold) {
  const test::Pem pem = test::make_pem(), other = test::make_pem();
  const auto with = [&](const std::string& certificate, const std::string& key) {
    return refusal(files({.certificate = certificate, .key = key}));
  };
  EXPECT_EQ(with(pem.certificate, pem.key), "");
  EXPECT_EQ(with(pem.certificate + pem.key, pem.key), "");  // both in one file
  EXPECT_EQ(with(pem.certificate + other.certificate, pem.key), "");
  EXPECT_THAT(with(pem.certificate, other.key),
              HasSubstr("server.key is not the key of the first certificate in "));
  EXPECT_THAT(with(other.certificate + pem.certificate, pem.key), HasSubstr("is not the key of"));
  EXPECT_THAT(with("nothing", pem.key), HasSubstr("server.crt holds no certificate"));
  EXPECT_THAT(with(pem.key, pem.key), HasSubstr("server.crt holds no certificate"));
  EXPECT_THAT(with(pem.certificate, pem.certificate), HasSubstr("server.key holds no private key"));
  EXPECT_THAT(with(pem.certificate, test::make_pem(-1, 9, "word").key), HasSubstr("passphrase"));
  std::string cut = pem.certificate;
  cut.resize(cut.size() / 2);
  EXPECT_THAT(with(cut, pem.key), HasSubstr("server.crt"));
  EXPECT_THAT(with(pem.certificate + cut, pem.key), HasSubstr("server.crt"));
  EXPECT_THAT(refusal({.certificate = "/nowhere.crt", .key = "/nowhere.key"}),
              HasSubstr("/nowhere.crt"));
}

TEST_F(TlsTest, ThePeriodIsTheCertificates) {
  const auto made = TlsContext::of_server(files(test::make_pem(-100, 500)));
  ASSERT_TRUE(made);
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  EXPECT_NEAR(static_cast<double>(made->period().from - now), -100, 5);
  EXPECT_NEAR(static_cast<double>(made->period().until - now), 500, 5);
}

}  // namespace
}  // namespace sx
