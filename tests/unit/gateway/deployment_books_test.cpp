// What the record of a deployment makes of its gateway, also where it cannot be read for a while.
#include "gateway/deployment_books.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "no_descriptors.h"

namespace sx {
namespace {

class DeploymentBooksTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.path =
        (std::filesystem::temp_directory_path() / ("sx_books_" + std::to_string(::getpid())))
            .string();
    std::filesystem::create_directories(folder_.path);
    relay_.trouble = [this](const Error& error) { said_.push_back(error.what); };
    write({});
  }
  void TearDown() override { std::filesystem::remove_all(folder_.path); }

  // Another size each time, so that it is seen whatever the clock of the file system tells.
  void write(const std::string& key_file) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm", std::string(++written_, 'm')}};
    launch.port = 9000;
    Deployment deployment{.name = "test"};
    deployment.layouts.push_back({.label = "one", .replicas = {launch}, .proves = ""});
    deployment.key_file = key_file;
    std::ofstream(folder_.deployment()) << deployment_json(deployment);
  }
  GatewayKeys::State keys() const { return relay_.books.keys.state(); }

  using State = GatewayKeys::State;
  boost::asio::io_context loop_;
  Relay relay_{loop_, {}};
  StateFolder folder_;
  std::vector<std::string> said_;
  std::size_t written_ = 0;
};

TEST_F(DeploymentBooksTest, ARecordThatCannotBeReadLocksTheGatewayUntilItCan) {
  DeploymentBooks books(relay_, folder_);
  EXPECT_EQ(keys(), State::Open);
  write({});
  {
    const NoDescriptors none;
    books.look();
    books.look();
  }
  EXPECT_EQ(keys(), State::Locked);
  ASSERT_EQ(said_.size(), 1U) << "said a second time";
  EXPECT_NE(said_[0].find("deployment.json"), std::string::npos) << said_[0];
  books.look();
  EXPECT_EQ(keys(), State::Open) << "the record is as it was, and can be read";
}

TEST_F(DeploymentBooksTest, ADamagedRecordThatIsWrittenAnewUnlocksTheGateway) {
  DeploymentBooks books(relay_, folder_);
  std::ofstream(folder_.deployment()) << "{";
  books.look();
  EXPECT_EQ(keys(), State::Locked);
  write({});
  books.look();
  EXPECT_EQ(keys(), State::Open);
}

TEST_F(DeploymentBooksTest, KeysThatAreWantedStayWanted) {
  DeploymentBooks books(relay_, folder_);
  write(folder_.path + "/keys.json");  // not there yet
  books.look();
  EXPECT_EQ(keys(), State::Locked);
  write({});
  books.look();
  EXPECT_EQ(keys(), State::Locked);
}

}  // namespace
}  // namespace sx
