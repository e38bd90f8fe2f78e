// While it lives, what many rules ask of this very case is worked out once: its budget, what breaks
// of it, why its layout does not split. Found by where the case lies: a copy, which somebody
// changes, has none, and rules change no case.
#pragma once

#include <optional>
#include <vector>

#include "check/memory_verdict.h"
#include "facts/case.h"
#include "fit/budget.h"
#include "fit/splits.h"

namespace sx {

class CaseOnce {
 public:
  explicit CaseOnce(const Case& c);
  ~CaseOnce();
  CaseOnce(const CaseOnce&) = delete;
  CaseOnce& operator=(const CaseOnce&) = delete;

  const std::optional<Budget>& budget();
  const std::optional<MemoryFault>& fault();
  const std::vector<SplitProblem>& splits();
  // The one of that case; null: there is none.
  static CaseOnce* of(const Case& c);

 private:
  const Case& case_;
  CaseOnce* before_;
  // Outer: asked for already.
  std::optional<std::optional<Budget>> budget_;
  std::optional<std::optional<MemoryFault>> fault_;
  std::optional<std::vector<SplitProblem>> splits_;
};

// Worked out anew. Nothing when engine, layout or memory are not known.
std::optional<Budget> budget_now(const Case& c);
// Of the case's own layout, of all kinds.
std::vector<SplitProblem> splits_now(const Case& c);

}  // namespace sx
