// What happened and what worked here, on disk, so that a daemon that comes back knows it. SQLite in
// WAL mode: a crash loses nothing that was written, a damaged file is set aside and said to be.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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
  std::int64_t id = 0;  // 0: not written yet
};

// Up to here the journal is of an earlier deployment. Numbers, not times: a clock may jump.
struct JournalMark {
  std::int64_t event = 0, note = 0;
  bool operator==(const JournalMark&) const = default;
};
std::string mark_words(const JournalMark& mark);
JournalMark read_mark(const std::string& words);  // nothing where they are none

class Journal {
 public:
  // `set_aside`: where a damaged file was moved to, so that it can be looked at.
  static Result<Journal> open(const std::string& path, std::optional<std::string>* set_aside);

  // What cannot be written now is kept in memory, so much of it, and written as soon as it can be.
  Result<void> add(const Transition& transition, std::int64_t unix_ms);
  Result<void> add(const JournalNote& note);
  Result<void> add(const LayoutRecord& record);
  void remember_later(const std::string& name, const std::string& value);
  // Tries to write what waits in memory; one note says how much of it was too much to be kept.
  Result<void> write_what_waits(std::int64_t unix_ms);
  std::size_t waiting() const { return waiting_.size() + later_.size(); }

  // All of them or none.
  using Names = std::vector<std::pair<std::string, std::string>>;
  Result<void> remember(const Names& values);
  Result<void> remember(const std::string& name, const std::string& value);
  std::optional<std::string> remembered(const std::string& name) const;
  std::optional<LayoutRecord> layout(const std::string& key) const;  // the latest word on it
  std::vector<JournalLine> latest(int most) const;                   // oldest first
  std::vector<JournalNote> notes(int most) const;                    // oldest first
  JournalMark end() const;
  // How long the stages of a start took (run/start_times.h); the latest few of each shape stay.
  Result<void> add_start(const std::string& shape, const std::string& stages);
  std::vector<std::string> starts(const std::string& shape) const;  // oldest first

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Entry = std::variant<JournalLine, JournalNote, LayoutRecord>;
  explicit Journal(sqlite3* database) : database_(database) {}
  Result<void> put(Entry entry, std::int64_t unix_ms);
  bool write(const Entry& entry);
  bool write(const JournalLine& line);
  bool write(const JournalNote& note);
  bool write(const LayoutRecord& record);
  bool write_value(const std::string& name, const std::string& value);
  bool write_all_that_waits();

  std::unique_ptr<sqlite3, Close> database_;
  std::deque<Entry> waiting_;
  std::map<std::string, std::string> later_;
  std::int64_t dropped_ = 0;
};

}  // namespace sx
