// What happened and what worked here, on disk, so that a daemon that comes back knows it. SQLite in
// WAL mode: a crash loses nothing that was written, a damaged file is set aside and said to be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/supervisor.h"

struct sqlite3;

namespace sx {

struct JournalLine {
  std::int64_t id = 0;
  std::int64_t unix_ms = 0;
  int replica = 0, start = 0;
  std::string from, to, reason;
};

// Whether a layout, in just this form (`key`: its commands and the engine's version), worked here.
struct LayoutRecord {
  std::string key, label;
  bool good = false;
  std::string cause;  // of a bad one
  std::int64_t unix_ms = 0;
};

// Something that no transition says, for people: a layout left out, memory that is still held.
struct JournalNote {
  std::int64_t unix_ms = 0;
  int replica = -1;  // -1: of the deployment
  std::string name;  // "layout-left-out"
  Both words;
};

class Journal {
 public:
  // `set_aside`: where a damaged file was moved to, so that it can be looked at.
  static Result<Journal> open(const std::string& path, std::optional<std::string>* set_aside);

  Result<void> add(const Transition& transition, std::int64_t unix_ms);
  Result<void> add(const LayoutRecord& record);
  Result<void> remember(const std::string& name, const std::string& value);
  std::optional<std::string> remembered(const std::string& name) const;
  std::optional<LayoutRecord> layout(const std::string& key) const;  // the latest word on it
  std::vector<JournalLine> latest(int most) const;                   // oldest first
  Result<void> add(const JournalNote& note);
  std::vector<JournalNote> notes(int most) const;  // oldest first
  // How long the stages of a start took (run/start_times.h); the latest few of each shape stay.
  Result<void> add_start(const std::string& shape, const std::string& stages);
  std::vector<std::string> starts(const std::string& shape) const;  // oldest first

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Journal(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace sx
