// What a person sees beside a deployment: a table that fits the terminal, from the daemon's JSON.
// Pure: numbers of cells in, lines out.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "diag/message.h"

namespace sx {

struct LiveLook {
  Language language = Language::English;
  std::size_t width = 80, height = 24;
  bool colour = false;
};

struct LiveAsk {
  const boost::json::object& status;  // sextant.status/1
  const boost::json::array& events;   // of /v1/events, oldest first
  int interrupts = 0;                 // how often Ctrl-C was pressed
};

// No line is wider than the terminal, and there are fewer lines than it has, so that what is drawn
// can be drawn over. Colour takes no cells.
std::vector<std::string> live_page(const LiveAsk& ask, const LiveLook& look);

// "[######······]": so many cells, brackets included; of 0 to 100.
std::string bar_of(int percent, std::size_t cells);

}  // namespace sx
