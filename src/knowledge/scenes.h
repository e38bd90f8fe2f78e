// Scenes of a cause (data/causes/scenes/FAMILY/NAME.md): short logs, each with what `diagnose` must
// answer to it. They are shown by `explain`, and they are tests. Pages are read when asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/causes.h"
#include "knowledge/constraints.h"

namespace sx {

// Views of the page's bytes, which live as long as the program.
struct SceneLog {
  std::string_view name;  // "rank1.log"; kFirstLog where the page gives none
  std::string_view text;  // with its line ends
};
constexpr std::string_view kFirstLog = "engine.log";

struct SceneAnswer {
  std::string_view cause;       // empty: none may be found
  std::string_view confidence;  // "certain", "likely", "possible"
  std::string_view log;         // the file whose line it is
  std::uint64_t line = 0;       // 1-based
};

struct CauseScene {
  Sentence heading;
  std::uint64_t line = 0;  // of the heading in its page
  std::vector<SceneLog> logs;
  std::string_view command;  // what was run; empty: not said
  SceneAnswer answer;
};

// A page as it is written. The error names page and line.
Result<std::vector<CauseScene>> read_scenes(std::string_view page, std::string_view bytes);

// "data/causes/scenes/memory/oom-cudagraph.md"
std::string scene_page_name(const CauseRow& cause);
// All pages that are part of the program, in order of their names.
std::vector<std::string_view> scene_pages();
// Empty where the cause has no page. A page of ours that cannot be read fails a test, not a reader.
std::vector<CauseScene> scenes_of_cause(const CauseRow& cause);

}  // namespace sx
