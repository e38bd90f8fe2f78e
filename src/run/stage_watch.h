// How far an engine's start has come, by its log: the stage its words belong to, and that it says
// anything at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sx {

class StageWatch {
 public:
  StageWatch(std::string log, std::string engine);
  ~StageWatch();
  StageWatch(StageWatch&&) noexcept;
  StageWatch& operator=(StageWatch&&) noexcept;

  struct News {
    bool any = false;   // something was said since the last look
    std::string stage;  // the word of CLI.md's phases; empty: not known yet
    int percent = -1;   // of it, as the engine's own progress bar says; -1: it has none
  };
  // Reads what came, at most a bounded part of it.
  News look();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// The last "NN% Completed" or "NN%|" in the text, as progress bars have it; -1: none.
int percent_in(std::string_view text);

}  // namespace sx
