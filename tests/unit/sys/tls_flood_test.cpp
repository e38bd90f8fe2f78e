// A client who keeps OpenSSL at work without ever sending data: it is cut, and whoever changes
// keys now and then is not.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string_view>
#include <tuple>

#include "base/unique_fd.h"
#include "sys/tls.h"
#include "unit/run/temporary_folder.h"
#include "unit/sockets.h"
#include "unit/tls_files.h"

namespace sx {
namespace {

using Step = TlsSession::Step;

class TlsFloodTest : public testing::Test {
 protected:
  void SetUp() override {
    const TlsFiles files = test::tls_files(folder_.path());
    context_ = std::make_unique<TlsContext>(TlsContext::of_server(files).value());
    std::tie(near_, far_) = test::joined_pair();
    server_ = std::make_unique<TlsSession>(*context_, near_.get());
    clients_.reset(SSL_CTX_new(TLS_client_method()));
    client_.reset(SSL_new(clients_.get()));
    SSL_set_fd(client_.get(), far_.get());
    SSL_set_connect_state(client_.get());
    bool done = false;
    for (int i = 0; i < 10 && !done; ++i) {
      const bool client = SSL_do_handshake(client_.get()) == 1;
      done = server_->shake_hands() == Step::Done && client;
    }
    ASSERT_TRUE(done);
    out_ = BIO_new(BIO_s_mem());
    SSL_set0_wbio(client_.get(), out_);  // which owns it
  }

  // In one piece, as much as the kernel takes.
  void change_keys(int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(SSL_key_update(client_.get(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
      ASSERT_EQ(SSL_do_handshake(client_.get()), 1);
    }
    pass_on();
  }

  void send(std::string_view words) {
    ASSERT_EQ(SSL_write(client_.get(), words.data(), static_cast<int>(words.size())),
              static_cast<int>(words.size()));
    pass_on();
  }

  void pass_on() {
    char* bytes = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(out_, &bytes));
    ASSERT_EQ(::send(far_.get(), bytes, size, 0), static_cast<ssize_t>(size));
    BIO_reset(out_);
  }

  int not_read() const {  // bytes that wait in the kernel
    int waiting = 0;
    EXPECT_EQ(::ioctl(near_.get(), FIONREAD, &waiting), 0);
    return waiting;
  }

  TlsSession::Moved read() { return server_->read(room_.data(), room_.size()); }

  test::TemporaryFolder folder_;
  std::unique_ptr<TlsContext> context_;
  UniqueFd near_, far_;
  std::unique_ptr<TlsSession> server_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> clients_{nullptr, SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> client_{nullptr, SSL_free};
  BIO* out_ = nullptr;
  std::array<char, 64> room_{};
};

TEST_F(TlsFloodTest, WhoChangesKeysBetweenDataGoesOn) {
  for (int i = 0; i < 4; ++i) {
    change_keys(20);
    EXPECT_EQ(read().step, Step::WantsRead);
    send("words");
    EXPECT_EQ(read().bytes, 5U);
  }
  EXPECT_EQ(server_->write("answer").step, Step::Done);
}

TEST_F(TlsFloodTest, WhoSendsNothingElseIsCut) {
  for (int i = 0; i < 3; ++i) {
    change_keys(10);
    EXPECT_EQ(read().step, Step::WantsRead);
  }
  change_keys(10);
  EXPECT_EQ(read().step, Step::Broken);
  send("words");
  EXPECT_EQ(read().step, Step::Broken);
}

TEST_F(TlsFloodTest, AFloodIsNotReadToItsEnd) {
  change_keys(4000);
  EXPECT_GT(not_read(), 100'000);
  EXPECT_EQ(read().step, Step::Broken);
  EXPECT_GT(not_read(), 80'000);
}

TEST_F(TlsFloodTest, DataBehindAFloodDoesNotSaveIt) {
  change_keys(100);
  send("words");
  EXPECT_EQ(read().step, Step::Broken);
  EXPECT_EQ(read().step, Step::Broken);
}

}  // namespace
}  // namespace sx
