// A connection in TLS behind recv() and sendmsg(): what is told as written is with the kernel, what
// cannot leave leaves nothing out and nothing twice.
#include "gateway/tls_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <tuple>

#include "base/unique_fd.h"
#include "unit/run/temporary_folder.h"
#include "unit/sockets.h"
#include "unit/tls_files.h"

namespace sx {
namespace {

class TlsStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    const TlsFiles files = test::tls_files(folder_.path());
    server_ = std::make_unique<TlsContext>(TlsContext::of_server(files).value());
    client_ = std::make_unique<TlsContext>(
        TlsContext::of_client({.ca_file = "", .only = files.certificate}).value());
    std::tie(near_, far_) = test::joined_pair();
    TlsSession ours(*server_, near_.get());
    theirs_ = std::make_unique<TlsSession>(*client_, far_.get(), "localhost");
    bool done = false;
    for (int i = 0; i < 10 && !done; ++i) {
      const bool client = theirs_->shake_hands() == TlsSession::Step::Done;
      done = ours.shake_hands() == TlsSession::Step::Done && client;
    }
    ASSERT_TRUE(done);
    stream_ = std::make_unique<TlsStream>(std::move(ours));
  }

  ssize_t write(std::initializer_list<std::string_view> texts) {
    std::vector<iovec> parts;
    for (const std::string_view text : texts)
      parts.push_back({const_cast<char*>(text.data()), text.size()});
    return stream_->write(parts);
  }

  // All that the client gets now.
  std::string heard() {
    std::string all;
    std::array<char, 20'000> piece{};
    while (true) {
      const auto got = theirs_->read(piece.data(), piece.size());
      if (got.step != TlsSession::Step::Done) return all;
      all.append(piece.data(), got.bytes);
    }
  }

  // Until the kernel takes no more; what was told as written.
  std::string fill() {
    std::string told;
    for (int i = 0; i < 10'000; ++i) {
      const std::string text(1000, static_cast<char>('a' + i % 26));
      if (write({text}) < 0) {
        EXPECT_EQ(errno, EAGAIN);
        refused_ = text;
        return told;
      }
      told += text;
    }
    ADD_FAILURE() << "it never fills";
    return told;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<TlsContext> server_, client_;
  UniqueFd near_, far_;
  std::unique_ptr<TlsSession> theirs_;
  std::unique_ptr<TlsStream> stream_;
  std::string refused_;
};

TEST_F(TlsStreamTest, PartsLeaveTogetherAndARecordAtATime) {
  EXPECT_EQ(write({"head ", "", "body"}), 9);
  EXPECT_EQ(heard(), "head body");
  const std::string large(100'000, 'x');
  EXPECT_EQ(write({large}), 16'384);
  EXPECT_EQ(write({"front ", large}), 16'384);
  EXPECT_EQ(heard().size(), 2U * 16'384);
}

TEST_F(TlsStreamTest, WhatCouldNotLeaveLeavesOnceWhenItIsTriedAgain) {
  const std::string told = fill();
  EXPECT_LT(write({refused_}), 0) << "there is still no room";
  std::string got = heard();
  EXPECT_EQ(write({refused_}), static_cast<ssize_t>(refused_.size()));
  EXPECT_EQ(write({"end"}), 3);
  got += heard();
  EXPECT_EQ(got, told + refused_ + "end");
}

TEST_F(TlsStreamTest, WhatIsGivenUpLeavesBeforeWhatComesInItsPlace) {
  const std::string told = fill();
  std::string got = heard();
  EXPECT_EQ(write({"another"}), 7);
  got += heard();
  EXPECT_EQ(got, told + refused_ + "another");
}

TEST_F(TlsStreamTest, ItSaysWhenNothingIsLeft) {
  std::array<char, 4> small{};
  ASSERT_EQ(theirs_->write("eight by").step, TlsSession::Step::Done);
  EXPECT_EQ(stream_->read(small.data(), small.size()), 4);
  EXPECT_FALSE(stream_->drained()) << "the other half waits here, and no edge tells of it";
  EXPECT_EQ(stream_->read(small.data(), small.size()), 4);
  EXPECT_TRUE(stream_->drained());
  EXPECT_LT(stream_->read(small.data(), small.size()), 0);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(TlsStreamTest, SeveralRecordsThatCameTogetherAreAllThere) {
  for (const char* text : {"one", "two", "three"})
    ASSERT_EQ(theirs_->write(text).step, TlsSession::Step::Done);
  std::array<char, 100> room{};
  std::string got;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(stream_->drained() && i > 0) << i;
    const ssize_t count = stream_->read(room.data(), room.size());
    ASSERT_GT(count, 0);
    got.append(room.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(got, "onetwothree");
  EXPECT_TRUE(stream_->drained());
}

TEST_F(TlsStreamTest, EndsAreTold) {
  std::array<char, 10> room{};
  theirs_->say_end();
  EXPECT_EQ(stream_->read(room.data(), room.size()), 0);
  EXPECT_EQ(write({"still"}), 5) << "the other direction is open";
  far_.reset();
  EXPECT_LT(write({"nobody"}), 0);
  EXPECT_NE(errno, EAGAIN);
}

TEST_F(TlsStreamTest, AnEndWithoutAGoodbyeIsAnEnd) {
  std::array<char, 10> room{};
  EXPECT_EQ(heard(), "");  // tickets: a socket that closes with unread bytes in it is reset
  far_.reset();
  EXPECT_EQ(stream_->read(room.data(), room.size()), 0);
}

TEST_F(TlsStreamTest, NonsenseIsNoEnd) {
  std::array<char, 10> room{};
  ASSERT_EQ(::send(far_.get(), "nonsense", 8, MSG_NOSIGNAL), 8);
  ASSERT_EQ(::send(far_.get(), std::string(64, 'x').data(), 64, MSG_NOSIGNAL), 64);
  EXPECT_LT(stream_->read(room.data(), room.size()), 0);
  EXPECT_EQ(errno, ECONNRESET);
}

}  // namespace
}  // namespace sx
