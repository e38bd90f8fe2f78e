// Cases that are being asked about form a list, newest first: seldom more than one.
#include "check/case_once.h"

#include <utility>

#include "engines/engine.h"

namespace sx {
namespace {

// The innermost one; passes of rules do not cross threads.
thread_local CaseOnce* newest = nullptr;

}  // namespace

CaseOnce::CaseOnce(const Case& c) : case_(c), before_(newest) { newest = this; }

CaseOnce::~CaseOnce() { newest = before_; }

const std::optional<Budget>& CaseOnce::budget() {
  if (!budget_) budget_ = budget_now(case_);
  return *budget_;
}

const std::optional<MemoryFault>& CaseOnce::fault() {
  if (!fault_) {
    const auto& known = budget();
    fault_ = known ? memory_fault(case_, *known) : std::optional<MemoryFault>{};
  }
  return *fault_;
}

const std::vector<SplitProblem>& CaseOnce::splits() {
  if (!splits_) splits_ = splits_now(case_);
  return *splits_;
}

CaseOnce* CaseOnce::of(const Case& c) {
  for (CaseOnce* one = newest; one != nullptr; one = one->before_) {
    if (&one->case_ == &c) return one;
  }
  return nullptr;
}

std::optional<Budget> budget_now(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  if (engine == nullptr || !layout) return {};
  auto budget = engine->budget(c, *layout);
  return budget ? std::optional(std::move(*budget)) : std::nullopt;
}

std::vector<SplitProblem> splits_now(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  if (engine == nullptr || !layout) return {};
  return split_problems(c.model(), engine->split_ask(c, *layout));
}

}  // namespace sx
