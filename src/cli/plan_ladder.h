// Tensor parallel alone: the sizes that split, and which of them hold the model. What a launch can
// be stepped up or down by.
#pragma once

#include <string>
#include <vector>

#include "cli/plan_answer.h"

namespace sx {

struct Rung {
  int tensor = 1;
  std::string code;  // of the rule that refuses its memory; empty: it fits
};

struct TensorLadder {
  const Engine* engine = nullptr;
  std::vector<Rung> rungs;  // sizes that do not split are none
};

// One an engine that has tensor groups; none where memory is not known, or of a single GPU.
std::vector<TensorLadder> tensor_ladders(const PlanPage& page);

std::string rungs_text(const TensorLadder& ladder, Language language);  // "TP1 (SX3101), TP2, TP4"

}  // namespace sx
