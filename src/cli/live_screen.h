// Lines drawn over the ones before, on a terminal whose size may change at any moment.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"

namespace sx {

class LiveScreen {
 public:
  explicit LiveScreen(Output& output) : output_(output) {}

  struct Size {
    std::size_t width = 80, height = 24;
  };
  // Standard output is a terminal that can be drawn over.
  static bool possible(const Environment& environment);
  Size size() const;  // asked anew each time: nobody has to hear of a change
  void draw(const std::vector<std::string>& lines);

 private:
  Output& output_;
  std::vector<std::size_t> drawn_;  // cells of each line that stands there
  std::string last_;
};

}  // namespace sx
