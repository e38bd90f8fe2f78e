// What an engine prints, kept: the latest of it in memory, all of it in files that are rotated. A
// full disk loses lines, says how many, and never stops the engine; the last of a disk is left to
// the records without which nothing could be started again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "run/deployment.h"

namespace sx {

class EngineLog {
 public:
  // engine.log in `folder`, of this start alone: what an earlier one failed of is never told of
  // this one. What earlier ones wrote goes on as engine.log.1, .2 …
  EngineLog(std::string folder, LogPolicy policy);

  void take(std::string_view bytes);

  // The last bytes, beginning at a line where more was said.
  std::string tail(std::size_t most) const;
  std::uint64_t taken() const { return taken_; }
  std::uint64_t lost() const { return lost_; }  // never written to a file
  const std::string& path() const { return path_; }

 private:
  void remember(std::string_view bytes);
  bool open();
  void rotate();
  bool write(std::string_view bytes);
  bool has_room(std::size_t bytes);

  std::string path_;
  LogPolicy policy_;
  UniqueFd file_;
  std::int64_t size_ = 0;  // of the file
  std::int64_t room_ = 0;  // on its file system, counted down between looks
  std::string ring_;       // the last kRing bytes, begins at ring_at_ when full
  std::size_t ring_at_ = 0;
  std::uint64_t taken_ = 0, lost_ = 0, lost_untold_ = 0;
};

}  // namespace sx
