// Sockets of this machine: names of any length, what a dead listener left, descriptors that travel.
#include "sys/local_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace sx {
namespace {

class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "sextant-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(LocalSocket, TalksAndIsForThisUserAlone) {
  const Place place;
  const std::string path = place.path() + "/s";
  const auto listener = listen_local(path);
  ASSERT_TRUE(listener) << listener.error().what;
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_FALSE(accept_local(listener->get()).open());  // nobody yet, and no waiting
  const auto peer = connect_local(path);
  ASSERT_TRUE(peer);
  const UniqueFd other = accept_local(listener->get());
  ASSERT_TRUE(other.open());
  EXPECT_TRUE(send_descriptors(peer->get(), "hi", {}));
  EXPECT_EQ(receive_descriptors(other.get(), 100)->bytes, "hi");
}

TEST(LocalSocket, NamesMayBeLongerThanAnAddress) {
  const Place place;
  std::string folder = place.path();
  for (int i = 0; i < 8; ++i) folder += "/" + std::string(100, 'd');
  ASSERT_TRUE(std::filesystem::create_directories(folder));
  const auto listener = listen_local(folder + "/keeper.sock");
  ASSERT_TRUE(listener) << listener.error().what;
  EXPECT_TRUE(connect_local(folder + "/keeper.sock"));
}

TEST(LocalSocket, ADeadListenerIsReplacedAndALivingOneIsNot) {
  const Place place;
  const std::string path = place.path() + "/s";
  {
    const auto first = listen_local(path);
    ASSERT_TRUE(first);
    const auto second = listen_local(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Refused);
  }
  EXPECT_TRUE(listen_local(path));
}

TEST(LocalSocket, NobodyThereIsAbsent) {
  const Place place;
  const auto peer = connect_local(place.path() + "/none");
  ASSERT_FALSE(peer);
  EXPECT_EQ(peer.error().kind, Error::Kind::Absent);
}

TEST(LocalSocket, AListenerThatTakesNobodyIsNotWaitedForForever) {
  const Place place;
  const auto listener = listen_local(place.path() + "/s");
  ASSERT_TRUE(listener);
  std::vector<UniqueFd> waiting;
  Result<UniqueFd> peer = connect_local(place.path() + "/s");
  for (int i = 0; i < 200 && peer; ++i) {
    waiting.push_back(std::move(*peer));
    peer = connect_local(place.path() + "/s");
  }
  ASSERT_FALSE(peer);
  EXPECT_EQ(peer.error().kind, Error::Kind::TimedOut);
  EXPECT_EQ(listen_local(place.path() + "/s").error().kind, Error::Kind::Refused);
}

TEST(LocalSocket, DescriptorsTravel) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd one(pair[0]);
  const UniqueFd two(pair[1]);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  {
    const UniqueFd to(ends[1]);
    ASSERT_TRUE(send_descriptors(one.get(), "x", {to.get()}));
  }
  const auto received = receive_descriptors(two.get(), 10);
  ASSERT_TRUE(received);
  ASSERT_EQ(received->descriptors.size(), 1U);
  EXPECT_EQ(::write(received->descriptors[0].get(), "abc", 3), 3);
  std::array<char, 8> piece{};
  EXPECT_EQ(::read(from.get(), piece.data(), piece.size()), 3);
  EXPECT_FALSE(send_descriptors(one.get(), "", {}));
}

}  // namespace
}  // namespace sx
