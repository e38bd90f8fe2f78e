// Findings in SARIF 2.1.0, for code scanning.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"

namespace sx {

// A rule as SARIF wants to know it; made by those who know the catalogue.
struct SarifRule {
  std::string_view code;  // "SX2103"
  std::string_view name;  // "tp-heads-indivisible"
  Severity severity = Severity::Error;
  std::string_view family;  // "layout"
  std::string_view page;    // Markdown
  std::string summary;      // the page's first paragraph on one line
};

// One document, ending with a line end: the rules that spoke, the findings, what was not checked.
// Always English.
std::string render_sarif(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                         std::span<const SarifRule> rules, std::string_view tool_version);

}  // namespace sx
