// What the engine says: files of its log lines, stage by stage (stages/ENGINE.log), and of last
// words (words/ENGINE/NAME.log), with places to fill in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fake_engine/asked.h"

namespace fake {

class Texts {
 public:
  explicit Texts(Asked asked);

  using Stage = std::pair<std::string, std::vector<std::string>>;  // its name, its lines
  const std::vector<Stage>& stages() const { return stages_; }

  // One line or more to standard error, as these engines do.
  void say(const std::string& line) const;
  // Last words by name, or by a path with a slash in it; none for an empty name.
  void say_words(const std::string& name) const;
  void say_stage(const std::string& name) const;

 private:
  std::string filled(std::string line) const;

  Asked asked_;
  std::vector<Stage> stages_;
};

}  // namespace fake
