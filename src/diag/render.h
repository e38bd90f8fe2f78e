// An outcome as text for people, one line a finding, or JSON for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "diag/outcome.h"
#include "text/paint.h"

namespace sx {

struct Style {
  Language language = Language::English;
  bool colour = false;
  std::size_t width = 100;  // cells of the terminal
  bool all = false;         // --all: nothing is folded away
};

// A launch of an engine that is only recognised, in the words of one that is checked.
struct Translated {
  std::string_view engine;    // "vLLM", as it is shown
  std::string command;        // one line; empty: there is none
  std::vector<Message> said;  // what was looked at, what was left out, what was corrected
  bool recognised_only = false;
};

// What the whole answer was about, besides the findings.
struct Asked {
  std::string_view engine;           // "llamacpp"
  std::string_view engine_shown;     // "llama.cpp"; empty: as `engine`
  std::string version;               // "0.33.0"
  std::string version_from;          // "default", "flag", "image", "report", "metadata"
  bool version_assumed = false;      // newest known was taken: said in the verdict
  std::vector<Message> assumptions;  // "A100: the 80 GB SXM card was taken"
  std::string command;               // one line, for JSON
  int line = 1;
  std::string left_out;  // what stands behind the launch and in no command shown: "| tee serve.log"
  std::string budget_table;  // --why, already a table; empty: not asked
  Translated translated;
};

// Excerpt, labels, because, otherwise, fixes, explain: DIAGNOSTICS anatomy. No trailing blank line.
std::string render_text(const Diagnostic& diagnostic, const Sources& sources, const Style& style);
// All of an outcome: findings, held back, the combined fix, the verdict with counts.
std::string render_text(const Outcome& outcome, const Sources& sources, const Asked& asked,
                        const Style& style);
// `command line:1:37: error[SX2103]: 28 attention heads …`, one line each.
std::string render_short(const Outcome& outcome, const Sources& sources, const Style& style);

// One launch with its answer; `budget_json`, `command_facts` are JSON made by those who know them,
// empty when absent.
struct LaunchAnswer {
  Asked asked;
  Outcome outcome;
  std::string budget_json;      // the array of CLI.md `budget`
  std::int64_t kv_tokens = -1;  // -1: not known
  double max_concurrency = 0;
};
// One document `sextant.check/1` for all launches of the input, ending with a line end;
// `tool_version` is ours. Always English; `rendered` is the text form of each finding without
// colour. Bytes that are no UTF-8 are replaced.
std::string render_json(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                        std::string_view tool_version);

// Findings as Markdown: a heading and its command for each launch.
std::string render_markdown(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                            const Style& style);
// Each finding as one line of JSON, as in `diagnostics` of the document; empty when there is none.
std::string render_json_lines(const std::vector<LaunchAnswer>& answers, const Sources& sources);

// The name of a source for people: "command line", "serve.sh".
std::string source_name(const Source& source, Language language);

}  // namespace sx
