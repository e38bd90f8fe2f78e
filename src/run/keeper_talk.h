// What is said to a keeper over its socket, one JSON object a line, and what it answers.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "run/engine_log.h"
#include "run/replica_files.h"

namespace sx {

struct KeeperRequest {
  enum class Does { Status, Stop, Tail } does = Does::Status;
  std::chrono::seconds grace{0};  // of Stop; 0: killed at once
  std::size_t bytes = 0;          // of Tail
};

std::string request_line(const KeeperRequest& request);
Result<KeeperRequest> read_request(std::string_view line);

// The keeper's side of one connection.
class KeeperClient {
 public:
  explicit KeeperClient(UniqueFd peer) : peer_(std::move(peer)) {}
  int fd() const { return peer_.get(); }
  bool gone() const { return gone_; }
  std::optional<KeeperRequest> next_request();  // what has come so far; never waits
  void answer(const KeeperRequest& request, const KeeperRecord& record, const EngineLog& log);

 private:
  UniqueFd peer_;
  std::string heard_;
  bool gone_ = false;
};

// The other side: one request, its answer's line. Waits for a second at most.
Result<std::string> ask_keeper(const std::string& socket, const KeeperRequest& request);

}  // namespace sx
