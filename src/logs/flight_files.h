// Finds the dumps of a flight recorder among the files of a run and reads them whole. A file that
// is none is told by its first bytes and forgotten.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/flight_recorder.h"

namespace sx {

struct UnreadDump {
  enum class Why { Pickle, TooLarge, Broken };
  std::string name;
  int file = 0;
  Why why = Why::Broken;
};

class FlightFiles {
 public:
  void begin_file(std::string name);
  void feed(std::string_view bytes);
  void end_file();

  const std::vector<FlightDump>& dumps() const { return dumps_; }
  const std::vector<UnreadDump>& unread() const { return unread_; }

 private:
  void decide();
  void leave(UnreadDump::Why why);

  std::vector<FlightDump> dumps_;
  std::vector<UnreadDump> unread_;
  std::string name_, text_;
  int file_ = -1;
  bool open_ = false;        // may be a dump, or is one
  bool decided_ = false;     // it is one
  std::size_t look_at_ = 0;  // bytes that must be there for the next look
  std::size_t entries_ = 0;  // kept, of all dumps
};

}  // namespace sx
