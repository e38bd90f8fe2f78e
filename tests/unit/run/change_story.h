// Stories of what turns into something else: launches by a word, and who is there as one line.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "supervisor_story.h"

namespace sx::test {

inline EngineLaunch launch_of(const std::string& what, int port, std::vector<int> gpus = {},
                              std::string model = "m") {
  EngineLaunch launch{.engine = "vllm", .words = {"vllm", "serve", what}};
  launch.port = port;
  launch.gpus = std::move(gpus);
  launch.model = std::move(model);
  return launch;
}

inline Deployment running(std::vector<EngineLaunch> launches) {
  Deployment deployment{.name = "test"};
  deployment.layouts.push_back({.label = "one", .replicas = std::move(launches), .proves = ""});
  return deployment;
}

// "0 a ready, 1 b starting": who is there.
inline std::string there(const Story& story) {
  std::string line;
  for (const ReplicaView& view : story.supervisor().view()) {
    line += (line.empty() ? "" : ", ") + std::to_string(view.index) + ' ' +
            view.launch->words.back() + ' ' + std::string(word_of(view.state));
  }
  return line;
}

// Everything that drains comes to its end.
inline void ends_of_all_that_drain(Story& story) {
  for (const ReplicaView& view : story.supervisor().view()) {
    if (view.state != ReplicaState::Draining) continue;
    story.happens(Drained{view.attempt});
    story.happens(EngineEnded{.of = view.attempt, .code = 0, .signal = {}});
    story.happens(Released{view.attempt});
  }
}

inline void ready(Story& story, int number) {
  for (const ReplicaView& view : story.supervisor().view()) {
    if (view.index != number) continue;
    const Attempt of = view.attempt;
    story.happens(HealthTold{.of = of, .is = HealthTold::Is::Ready});
    story.happens(WarmedUp{.of = of, .good = true, .words = ""});
    return;
  }
  FAIL() << "there is no replica " << number;
}

// `of_layout`: another one may do better.
inline void fails(Story& story, int number, CauseFound::Again again = CauseFound::Again::Never,
                  bool of_layout = false) {
  for (const ReplicaView& view : story.supervisor().view()) {
    if (view.index != number) continue;
    const Attempt of = view.attempt;
    story.happens(EngineEnded{.of = of, .code = 1, .signal = {}});
    CauseFound found{.of = of, .name = "oom-kv", .code = "", .title = "", .again = again};
    found.of_layout = of_layout;
    story.happens(found);
    story.happens(Released{of});
    return;
  }
  FAIL() << "there is no replica " << number;
}

}  // namespace sx::test
