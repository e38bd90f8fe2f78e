// What lies on disk while one deployment turns into another, also where a full disk takes only some
// of it: what is refused leaves all as it was.
#include "api/reload.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "sys/files.h"
#include "sys/save_file.h"
#include "unit/run/temporary_folder.h"

namespace sx {
namespace {

// No file may grow beyond so many bytes while it lives: a disk with so much room.
class DiskWithRoom {
 public:
  explicit DiskWithRoom(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit some{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &some);
  }
  ~DiskWithRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  DiskWithRoom(const DiskWithRoom&) = delete;
  DiskWithRoom& operator=(const DiskWithRoom&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

Deployment of_model(const std::string& model) {
  Deployment made;
  made.name = "test";
  made.host = "127.0.0.1";
  made.port = 8000;
  EngineLaunch launch{.engine = "vllm", .words = {"vllm", "serve", model}};
  launch.host = "127.0.0.1";
  launch.port = 8001;
  launch.model = model;
  made.layouts.push_back({.label = "TP1", .replicas = {launch}, .proves = ""});
  return made;
}

// One deployment runs, and the journal knows it.
class Reload : public testing::Test {
 protected:
  void begin() {
    ASSERT_TRUE(make_folders(folder_.path));
    journal_.emplace(*Journal::open(folder_.journal(), nullptr));
    const std::string text = deployment_json(before_.deployment);
    ASSERT_TRUE(save_file(folder_.deployment(), text, 0600));
    ASSERT_TRUE(note_deployment(*journal_, text, 0));
  }
  std::string on_disk() const { return *real_files().read(folder_.deployment(), mib(1)); }
  // As the next daemon sees it.
  std::optional<std::size_t> layout_known() const {
    return noted_layout(*Journal::open(folder_.journal(), nullptr), on_disk());
  }
  bool under_way() const {
    return unfinished_reload(folder_, *Journal::open(folder_.journal(), nullptr)).has_value();
  }

  test::TemporaryFolder above_;
  StateFolder folder_{above_.path() + "/test"};
  std::optional<Journal> journal_;
  Running before_{.deployment = of_model("before"), .layout = 0};
  Running wanted_{.deployment = of_model("wanted"), .layout = 0};
};

TEST_F(Reload, IsUnderWayUntilItsEndIsNoted) {
  begin();
  EXPECT_FALSE(under_way());
  ASSERT_TRUE(note_reload(folder_, *journal_, wanted_, before_));
  EXPECT_EQ(on_disk(), deployment_json(wanted_.deployment));
  EXPECT_EQ(layout_known(), 0U);
  EXPECT_TRUE(under_way());
  ASSERT_TRUE(note_reload_end(folder_, *journal_, wanted_));
  EXPECT_EQ(on_disk(), deployment_json(wanted_.deployment));
  EXPECT_EQ(layout_known(), 0U);
  EXPECT_FALSE(under_way());
  EXPECT_FALSE(std::filesystem::exists(folder_.deployment() + ".kept"));
}

// The journal and both files need more room than each other: every amount of it is tried.
TEST_F(Reload, WhatADiskDoesNotTakeWholeChangesNothing) {
  int refused = 0, halfway = 0, taken = 0;
  constexpr rlim_t kStep = 2048;
  for (rlim_t room = 0; taken < 3 && room < 100 * kStep; room += kStep) {
    folder_ = StateFolder{above_.path() + "/" + std::to_string(room)};
    begin();
    const auto noted = [&] {
      const DiskWithRoom disk(room);
      return note_reload(folder_, *journal_, wanted_, before_).has_value();
    }();
    const Running& runs = noted ? wanted_ : before_;
    EXPECT_EQ(on_disk(), deployment_json(runs.deployment)) << room;
    EXPECT_EQ(layout_known(), 0U) << room;
    EXPECT_EQ(under_way(), noted) << room;
    ++(noted ? taken : refused);
    if (!noted && !journal_->remembered("deployment-next").value_or("").empty())
      ++halfway;  // the file was written
  }
  EXPECT_GT(refused, halfway);
  EXPECT_GT(halfway, 0);
  EXPECT_EQ(taken, 3);
}

TEST_F(Reload, AnEndThatIsRefusedLeavesItUnderWay) {
  begin();
  ASSERT_TRUE(note_reload(folder_, *journal_, wanted_, before_));
  {
    const DiskWithRoom none(0);
    EXPECT_FALSE(note_reload_end(folder_, *journal_, wanted_));
  }
  EXPECT_EQ(on_disk(), deployment_json(wanted_.deployment));
  EXPECT_EQ(layout_known(), 0U);
  EXPECT_TRUE(under_way());
  EXPECT_TRUE(note_reload_end(folder_, *journal_, wanted_));
  EXPECT_FALSE(under_way());
}

}  // namespace
}  // namespace sx
