// The real file system and its in-memory twin behave alike.
#include "sys/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sx {
namespace {

class RealFolder : public testing::Test {
 protected:
  RealFolder() {
    std::string pattern = testing::TempDir() + "files_XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~RealFolder() override { std::filesystem::remove_all(root_); }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  std::string root_;
  const Files& files_ = real_files();
};

TEST_F(RealFolder, ReadsWholeFilesUpToALimit) {
  const std::string bytes(300'000, 'x');
  write("a", bytes);
  write("empty", "");
  EXPECT_EQ(files_.read(path("a"), Bytes{300'000}), bytes);
  EXPECT_EQ(files_.read(path("empty"), Bytes{0}), "");
  const auto large = files_.read(path("a"), Bytes{299'999});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, Error::Kind::TooLarge);
  EXPECT_EQ(large.error().what, "cannot read " + path("a") + ": it is longer than 299999 bytes");
}

TEST_F(RealFolder, ReadsTheFront) {
  write("a", "0123456789");
  EXPECT_EQ(files_.read_front(path("a"), Bytes{4}), "0123");
  EXPECT_EQ(files_.read_front(path("a"), Bytes{40}), "0123456789");
  EXPECT_EQ(files_.read_front(path("a"), Bytes{0}), "");
}

TEST_F(RealFolder, ReadsFilesThatDoNotKnowTheirLength) {
  const auto status = files_.read("/proc/self/status", mib(1));
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST_F(RealFolder, RefusesWhatIsNoFile) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& name :
       {path("pipe"), std::string("/dev/zero"), std::string("/dev/tty")}) {
    const auto bytes = files_.read(name, Bytes{10});
    ASSERT_FALSE(bytes) << name;
    EXPECT_EQ(bytes.error().kind, Error::Kind::Refused) << bytes.error().what;
  }
  const auto folder = files_.read(root_, Bytes{10});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "cannot read " + root_ + ": it is a folder");
}

TEST_F(RealFolder, SaysWhyNot) {
  EXPECT_EQ(files_.read(path("no"), Bytes{1}).error().what,
            "cannot read " + path("no") + ": no such file");
  EXPECT_EQ(files_.read(path("no"), Bytes{1}).error().kind, Error::Kind::Absent);
  write("a", "1");
  EXPECT_EQ(files_.info(path("a/b")).error().kind, Error::Kind::Absent);
  ::symlink("circle", path("circle").c_str());
  EXPECT_EQ(files_.read(path("circle"), Bytes{1}).error().kind, Error::Kind::Damaged);
  EXPECT_EQ(files_.read(path("a") + std::string("\0x", 2), Bytes{1}).error().kind,
            Error::Kind::Absent);
}

TEST_F(RealFolder, FollowsLinksAndListsNames) {
  write("blob", "12345");
  ::symlink("blob", path("link").c_str());
  ::symlink("gone", path("dangling").c_str());
  EXPECT_EQ(files_.info(path("link"))->bytes, Bytes{5});
  EXPECT_EQ(files_.info(path("link"))->kind, FileInfo::Kind::File);
  EXPECT_EQ(files_.info(root_)->kind, FileInfo::Kind::Directory);
  EXPECT_EQ(files_.info("/dev/null")->kind, FileInfo::Kind::Other);
  EXPECT_EQ(files_.info(path("dangling")).error().kind, Error::Kind::Absent);
  EXPECT_EQ(files_.list(root_), (std::vector<std::string>{"blob", "dangling", "link"}));
  EXPECT_EQ(files_.list(path("blob")).error().kind, Error::Kind::Absent);
  EXPECT_EQ(files_.link_target(path("link")), "blob");
  EXPECT_EQ(files_.link_target(path("blob")).error().kind, Error::Kind::Unsupported);
}

TEST(MemoryFiles, BehaveLikeRealOnes) {
  MemoryFiles files;
  files.add("/m/a.txt", "0123456789")
      .add("/m/sub/b", "")
      .add_link("/m/link", "a.txt")
      .add_link("/l", "/m/sub");
  files.add_sparse("/m/big", "front", gib(5))
      .add_link("/m/dangling", "gone")
      .add_link("/c1", "c2")
      .add_link("/c2", "c1");
  files.add_refused("/m/secret").add_device("/dev/zero");
  EXPECT_EQ(files.read("/m/a.txt", Bytes{10}), "0123456789");
  EXPECT_EQ(files.read("/m/../m/./link", Bytes{10}), "0123456789");
  EXPECT_EQ(files.read("/m/a.txt", Bytes{9}).error().kind, Error::Kind::TooLarge);
  EXPECT_EQ(files.read("/l/b", Bytes{9}), "");
  EXPECT_EQ(files.read_front("/m/big", Bytes{7}), std::string("front\0\0", 7));
  EXPECT_EQ(files.info("/m/big")->bytes, gib(5));
  EXPECT_EQ(files.info("/m")->kind, FileInfo::Kind::Directory);
  EXPECT_EQ(files.list("/m"),
            (std::vector<std::string>{"a.txt", "big", "dangling", "link", "secret", "sub"}));
  EXPECT_EQ(files.read("/m/no", Bytes{1}).error().what, "cannot read /m/no: no such file");
  EXPECT_EQ(files.read("/m", Bytes{1}).error().kind, Error::Kind::Refused);
  EXPECT_EQ(files.read("/m/secret", Bytes{1}).error().kind, Error::Kind::Refused);
  EXPECT_EQ(files.read("/dev/zero", Bytes{1}).error().kind, Error::Kind::Refused);
  EXPECT_EQ(files.read("/m/dangling", Bytes{1}).error().kind, Error::Kind::Absent);
  EXPECT_EQ(files.read("/c1", Bytes{1}).error().kind, Error::Kind::Damaged);
  EXPECT_EQ(files.link_target("/m/link"), "a.txt");
  EXPECT_EQ(files.link_target("/m/a.txt").error().kind, Error::Kind::Unsupported);
  EXPECT_EQ(files.reads().at("/m/a.txt"), 3);
}

}  // namespace
}  // namespace sx
