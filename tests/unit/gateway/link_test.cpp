// The daemon's side of a gateway that does not do what it should: bounded patience and memory, and
// versions that a clock cannot turn back.
#include "gateway/link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/process_identity.h"
#include "sys/save_file.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

class Link : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/sxlinkXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_.path = name;
  }
  void TearDown() override {
    for (const ProcessIdentity& left : processes_called("relay", folder_.path))
      send_signal(left, SIGKILL);
    std::filesystem::remove_all(folder_.path);
  }

  // A gateway that notes each start of its own and then does nothing.
  std::string idle_program() const {
    const std::string path = folder_.path + "/idle";
    EXPECT_TRUE(save_file(
        path, "#!/bin/sh\necho x >>" + folder_.path + "/starts\nwhile :; do sleep 1; done\n",
        0700));
    return path;
  }
  std::size_t starts() const {
    return real_files().read(folder_.path + "/starts", mib(1)).value_or("").size() / 2;
  }

  // A link that was told of a gateway, whose part the test plays; the program only runs.
  void begin_alone() {
    link_ = std::make_unique<GatewayLink>(
        loop_,
        GatewayAsk{.folder = folder_, .program = idle_program(), .host = "127.0.0.1", .port = 0});
    ASSERT_TRUE(link_->begin({}));
    listener_ = listen_local(folder_.gateway()).value();
  }
  // The next connection of the link.
  UniqueFd called() {
    UniqueFd peer;
    for (int i = 0; i < 200 && !peer.open(); ++i) {
      loop_.run_for(milliseconds(10));
      peer = accept_local(listener_.get());
    }
    EXPECT_TRUE(peer.open());
    return peer;
  }
  // Whole lines that come until `last` has come.
  std::vector<std::string> lines_until(int peer, std::string_view last) {
    std::string text;
    std::array<char, 65'536> piece{};
    for (int i = 0; i < 400 && text.find(last) == std::string::npos; ++i) {
      loop_.run_for(milliseconds(5));
      ssize_t count = 0;
      while ((count = ::recv(peer, piece.data(), piece.size(), MSG_DONTWAIT)) > 0) {
        text.append(piece.data(), static_cast<std::size_t>(count));
        loop_.poll();
      }
    }
    std::vector<std::string> lines;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      lines.push_back(text.substr(0, end));
      text.erase(0, end + 1);
    }
    return lines;
  }

  boost::asio::io_context loop_{1};
  StateFolder folder_;
  UniqueFd listener_;
  std::unique_ptr<GatewayLink> link_;
};

// Larger than what waits within a socket.
RouteTable large_table() {
  RouteTable table;
  for (int i = 0; i < 1000; ++i)
    table.aliases.emplace(std::to_string(i) + std::string(500, 'a'), "model");
  return table;
}

TEST_F(Link, OneThatNeverListensIsEndedAndAnotherIsStarted) {
  GatewayLink link(loop_, {.folder = folder_,
                           .program = idle_program(),
                           .host = "127.0.0.1",
                           .port = 0,
                           .comes_up = milliseconds(200)});
  ASSERT_TRUE(link.begin({}));
  // It did not live long, so the next one waits a second.
  for (int i = 0; i < 100 && starts() < 2; ++i) loop_.run_for(milliseconds(50));
  EXPECT_GE(starts(), 2U);
  link.stop(std::chrono::seconds(0));
}

TEST_F(Link, OneThatDoesNotReadIsToldTheLatestAndNotAllThatCameBefore) {
  begin_alone();
  const UniqueFd peer = called();
  RouteTable table = large_table();
  for (int i = 1; i <= 10; ++i) {
    table.default_model = "the-" + std::to_string(i) + "-th";
    link_->publish(table);
    link_->tell_states({{.replica = i, .engine = "vllm", .state = {}, .wedges = 0}});
    loop_.poll();
  }
  const auto lines = lines_until(peer.get(), "\"replica\":10,");
  ASSERT_FALSE(lines.empty());
  EXPECT_LE(lines.size(), 4U);
  const auto latest = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find("the-10-th") != std::string::npos; });
  ASSERT_NE(latest, lines.end());
  EXPECT_TRUE(read_routes(*latest));
}

TEST_F(Link, WhatWasWrittenToAnEarlierConnectionEndsNothingOfTheNext) {
  begin_alone();
  UniqueFd first = called();
  std::vector<ToldState> states;
  for (int i = 0; i < 1000; ++i)
    states.push_back({.replica = i, .engine = std::string(500, 'e'), .state = {}, .wedges = 0});
  link_->tell_states(states);
  ASSERT_EQ(lines_until(first.get(), "\n").size(), 1U);
  // The end of the connection is known, then something is written to it, and only then it is heard.
  ASSERT_EQ(::shutdown(first.get(), SHUT_WR), 0);
  boost::asio::post(loop_, [this] { link_->publish({}); });
  const UniqueFd next = called();
  const auto lines = lines_until(next.get(), "]}\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(read_routes(lines[0]));
  EXPECT_EQ(lines[1], states_line(states));
}

TEST_F(Link, VersionsOfAnEarlierDaemonAreSmallerWhateverTheClockSays) {
  RouteTable before;
  before.version = std::int64_t{1} << 50;  // far in the future
  ASSERT_TRUE(save_file(folder_.routes(), routes_line(before)));
  GatewayLink link(
      loop_, {.folder = folder_, .program = "/no/such/program", .host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(link.begin({}));
  const auto saved = real_files().read(folder_.routes(), mib(1));
  ASSERT_TRUE(saved);
  const auto table = read_routes(*saved);
  ASSERT_TRUE(table);
  EXPECT_GT(table->version, before.version);
}

}  // namespace
}  // namespace sx
