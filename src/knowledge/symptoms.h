// What one sees when a launch or a server is unwell, and what it usually is (data/symptoms.tsv).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "knowledge/constraints.h"

namespace sx {

struct SymptomRow {
  std::string_view id;     // "no-kv-room"
  std::string_view topic;  // start, memory, hang, slow, output, http, container, links, hosts …
  // Typical words of a log line or an answer, lower case; `*` stands for anything between.
  std::vector<std::string_view> lines;
  Sentence seen;     // what one sees
  Sentence usually;  // what it usually is
  Sentence sure;     // how to make sure
  Sentence helps;
  std::string_view rule;  // the rule, or the class of failures, that is about it; empty: none
  std::string_view source;
};

std::span<const SymptomRow> symptoms();
const SymptomRow* find_symptom(std::string_view id);

// Rows whose typical words the text holds; or, of a text that is a part of such words, all that
// have them. The most telling first.
std::vector<const SymptomRow*> symptoms_in(std::string_view text);

}  // namespace sx
