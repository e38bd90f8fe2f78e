// A start whose engine says that it serves, and whose health path says nothing of it: people see
// "starting" and cannot know what is still missing.
#include "diag/message.h"
#include "knowledge/engine_life.h"
#include "run/runner_inside.h"

namespace sx {

using runner::now;
using runner::Running;

namespace {

// Engines listen within a second of saying so; health is asked each second.
constexpr std::chrono::seconds kAnswerDue{5};

constexpr int kGoodStatus = 200;

constexpr Text kAwaited{
    "replica {replica} is waited for: its log says that it serves, and {url} is not well: {how}",
    "正在等待副本 {replica}：它的日志表明已开始服务，但 {url} 不正常：{how}"};
constexpr Text kRefused{"nobody can be reached there", "无法连接"};
constexpr Text kSilent{"no answer comes", "没有应答"};
constexpr Text kBroken{"the answer is no HTTP", "应答不是 HTTP"};
constexpr Text kStatus{"it answers with status {status}", "应答的状态码是 {status}"};
constexpr Text kStranger{"a process that is not its engine's listens there",
                         "在那里监听的不是它的引擎进程"};

Both how_it_is(const HttpTold& told) {
  switch (told.how) {
    case HttpTold::How::Refused:
      return in_both(Message{kRefused});
    case HttpTold::How::TimedOut:
      return in_both(Message{kSilent});
    case HttpTold::How::Broken:
      return in_both(Message{kBroken});
    case HttpTold::How::Answered:
      break;
  }
  return told.status == kGoodStatus ? in_both(Message{kStranger})
                                    : in_both({kStatus, {{"status", told.status}}});
}

}  // namespace

// Once a start. What still loads by its own word is waited for without one of ours.
void Runner::Inside::note_awaited(Attempt of, const HttpTold& told) {
  Running* replica = running(of);
  if (replica == nullptr || !replica->says_it_serves || replica->awaited_noted) return;
  const EngineLife* life = engine_life(replica->launch.engine);
  if (life == nullptr || now() - *replica->says_it_serves < kAnswerDue) return;
  const bool starts = std::ranges::any_of(supervisor.view(), [&](const ReplicaView& view) {
    return view.attempt == of && view.state == ReplicaState::Starting;
  });
  if (!starts) return;
  replica->awaited_noted = true;
  const std::string url = "http://" + replica->launch.host + ':' +
                          std::to_string(replica->launch.port) + std::string(life->health_path);
  note(of.replica, "awaited",
       in_both({kAwaited, {{"replica", of.replica}, {"url", url}, {"how", how_it_is(told)}}}));
}

}  // namespace sx
