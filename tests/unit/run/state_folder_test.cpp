// Names of deployments, and where their folders lie.
#include "run/state_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "sys/save_file.h"
#include "temporary_folder.h"

namespace sx {
namespace {

TEST(DeploymentName, StandsInPathsAndOnCommandLines) {
  for (const char* good : {"default", "a", "0", "Qwen3-32B_fp8.v2"})
    EXPECT_TRUE(is_deployment_name(good)) << good;
  EXPECT_TRUE(is_deployment_name(std::string(64, 'x')));
  for (const char* bad : {"", ".", "..", ".hidden", "-x", "--detach", "a/b", "a b", "a\nb", "名字"})
    EXPECT_FALSE(is_deployment_name(bad)) << bad;
  EXPECT_FALSE(is_deployment_name(std::string(65, 'x')));
  EXPECT_FALSE(is_deployment_name(std::string_view("a\0b", 3)));
}

TEST(StateFolderOf, TheFirstVariableThatIsSetCountsAndIsNamed) {
  using Variables = std::map<std::string, std::string, std::less<>>;
  const auto of = [](const Variables& variables) {
    const auto folder = state_folder(Environment(variables), "a");
    return folder ? folder->path : folder.error().what;
  };
  EXPECT_EQ(of({{"SEXTANT_STATE", "/s"}, {"HOME", "/h"}}), "/s/a");
  EXPECT_EQ(of({{"SEXTANT_STATE", ""}, {"XDG_STATE_HOME", "/x"}, {"HOME", "/h"}}), "/x/sextant/a");
  EXPECT_EQ(of({{"HOME", "/h"}}), "/h/.local/state/sextant/a");
  EXPECT_EQ(of({{"SEXTANT_STATE", "s"}, {"HOME", "/h"}}),
            "there is no folder for the state: SEXTANT_STATE is not an absolute path: s");
  EXPECT_EQ(of({{"HOME", "h"}}),
            "there is no folder for the state: HOME is not an absolute path: h");
  EXPECT_NE(of({}).find("are not set"), std::string::npos);
}

// What lies in it says which processes are to be ended: nobody else may have put it there.
class Taken : public testing::Test {
 protected:
  test::TemporaryFolder above_, elsewhere_;
  StateFolder folder_{above_.path() + "/d"};

  std::string refusal() const {
    const auto taken = take_state_folder(folder_);
    return taken ? "" : taken.error().what;
  }
};

TEST_F(Taken, ItsFoldersAreMadeAndOnlyOneMayHaveThem) {
  const auto first = take_state_folder(folder_);
  ASSERT_TRUE(first);
  struct stat status{};
  ASSERT_EQ(::stat(folder_.replicas().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_NE(refusal().find("another daemon works in"), std::string::npos);
}

TEST_F(Taken, OthersSeeThatItIsTaken) {
  EXPECT_FALSE(state_folder_taken(folder_));  // nor made by the look
  EXPECT_FALSE(std::filesystem::exists(folder_.path));
  {
    const auto held = take_state_folder(folder_);
    ASSERT_TRUE(held);
    EXPECT_TRUE(state_folder_taken(folder_));
  }
  EXPECT_FALSE(state_folder_taken(folder_));
}

TEST_F(Taken, ALinkIsNotFollowed) {
  ASSERT_TRUE(make_folders(folder_.path));
  for (const std::string& name : {folder_.replicas(), folder_.reports()}) {
    ASSERT_EQ(::symlink(elsewhere_.path().c_str(), name.c_str()), 0);
    EXPECT_EQ(refusal(), name + " is a link, not a folder of this user");
    ::unlink(name.c_str());
  }
  ASSERT_TRUE(make_folders(folder_.replicas()));
  ASSERT_EQ(::symlink(elsewhere_.path().c_str(), folder_.replica(0).folder.c_str()), 0);
  EXPECT_FALSE(own_folder(folder_.replica(0).folder));
  EXPECT_EQ(refusal(), "");
}

TEST_F(Taken, AFolderOfEverybodyIsNoFolderOfOurs) {
  ASSERT_TRUE(make_folders(folder_.replicas()));
  ::chmod(folder_.replicas().c_str(), 0777);
  EXPECT_EQ(refusal(), "everybody may write to " + folder_.replicas());
  ::chmod(folder_.replicas().c_str(), 0755);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Taken, AFolderOfAnotherUserIsRefused) {
  ASSERT_TRUE(make_folders(folder_.replicas()));
  constexpr uid_t kNobody = 65534;
  if (::chown(folder_.replicas().c_str(), kNobody, kNobody) != 0)
    GTEST_SKIP() << "only root gives folders away";
  EXPECT_EQ(refusal(), folder_.replicas() + " belongs to another user");
}

}  // namespace
}  // namespace sx
