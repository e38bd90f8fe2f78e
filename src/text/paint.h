// Colour, decided once a run.
#pragma once

#include <string>
#include <string_view>

namespace sx {

enum class Paint { Plain, Error, Warning, Advice, Mark, SecondMark, Quiet, Strong, Command };

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  bool colour() const { return colour_; }
  std::string operator()(Paint paint, std::string_view text) const;

 private:
  bool colour_ = false;
};

}  // namespace sx
