// How an engine shows that it lives, and how it is asked to end (data/engine_life.tsv).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace sx {

struct EngineLife {
  std::string_view engine;
  std::string_view health_path;         // 200: ready
  bool loading_is_unavailable = false;  // 503 there: it still loads; otherwise it is sick
  std::optional<std::chrono::seconds> second_request_after;
  // Names of its metrics, without labels. The heartbeat advances with every step of work.
  std::vector<std::string_view> heartbeat;
  std::string_view running, waiting;
  std::string_view metrics_path;
  // A variable that, set to 1, keeps what its processes began with readable in /proc/PID/environ;
  // empty: they leave it alone.
  std::string_view keeps_environ;
  // It takes every GPU that it sees; otherwise as many as its flags say.
  bool takes_visible_gpus = false;
  // What its commands begin with where it is installed, and the command that installs it.
  std::string_view program, install;
};

// Null: not one of those that are launched.
const EngineLife* engine_life(std::string_view engine);

// How long after the first request to end a second one makes it end at once; empty: none does.
std::optional<std::chrono::seconds> second_request_after(std::string_view engine);

}  // namespace sx
