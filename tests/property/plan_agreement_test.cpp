// The planner and the checker are one judge: what `check` takes is planned, what is planned passes
// `check` as the text that people paste, and what is out breaks the rule that is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "knowledge/models.h"
#include "plan/judge.h"
#include "property/plan_asking.h"

namespace sx {
namespace {

using testing::errors_of;
using testing::gathered;
using testing::Machine;
using testing::PlanQuestion;

std::string topology(const char* name) {
  std::ifstream file(std::string(SEXTANT_SOURCE_DIR "/tests/cases/topology/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Small machines mostly: the number of layouts grows faster than the number of cards.
const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{
      {"1xH100-80GB-HBM3", ""},   {"2xA100-PCIE-40GB", ""}, {"1xL4", ""},
      {"2xGeForce-RTX-4090", ""}, {"1xH200", ""},           {"2xL40S", ""},
      {"1xA100-SXM4-80GB", ""},   {"2xB200", ""},           {"1xGeForce-RTX-3090", ""},
  };
  return all;
}

const std::vector<Machine>& large_machines() {
  static const std::vector<Machine> all{
      {"4xL40S", ""},
      {"4xTesla-V100-SXM2-32GB", topology("14_v100_4x_nv2_mesh_sparse_cpulist.txt")},
      {"3xGeForce-RTX-3090", ""},
      {"4xH200", topology("05_h200_4x_container_blank_affinity.txt")},
      {"6xA100-PCIE-40GB", ""},
      {"8xA100-SXM4-80GB", topology("01_dgx_a100_8x_nvswitch_nps4_nics.txt")},
  };
  return all;
}

// The same sizes as people type them.
std::vector<std::string> typed(const std::string& model, const Layout& layout, Tokens context) {
  std::vector<std::string> words{"vllm", "serve", model, "--max-model-len",
                                 std::to_string(context.count())};
  const auto size = [&words](const char* flag, int value) {
    if (value == 1) return;
    words.emplace_back(flag);
    words.push_back(std::to_string(value));
  };
  size("--tensor-parallel-size", layout.tensor);
  size("--pipeline-parallel-size", layout.pipeline);
  size("--data-parallel-size", layout.data);
  if (layout.expert) words.emplace_back("--enable-expert-parallel");
  return words;
}

// All sizes over at most so many GPUs, written down anew: not the planner's own list.
std::vector<Layout> all_layouts(int gpus, bool experts) {
  std::vector<Layout> all;
  for (int tensor = 1; tensor <= gpus; ++tensor) {
    for (int pipeline = 1; tensor * pipeline <= gpus; ++pipeline) {
      for (int data = 1; tensor * pipeline * data <= gpus; ++data) {
        for (const bool expert : {false, true}) {
          if (expert && (!experts || tensor * data == 1)) continue;
          Layout layout;
          layout.tensor = tensor;
          layout.pipeline = pipeline;
          layout.data = data;
          layout.expert = expert;
          all.push_back(layout);
        }
      }
    }
  }
  return all;
}

struct Pair {
  std::string model;
  const Machine* machine = nullptr;
};

std::string told(const std::set<std::string>& codes) {
  return join(std::vector<std::string>(codes.begin(), codes.end()), ", ");
}

struct Counts {
  int pairs = 0, layouts = 0, plans = 0, refused = 0;
};

// Whole, as `check` answers: with every fix judged again. Only asked where no single rule objects.
bool refused_by_check(const Case& c) {
  return first_broken(c, "SX").has_value() || !errors_of(c).empty();
}

void agree_on(const Pair& pair, Counts& counts) {
  const PlanQuestion question(pair.model, *pair.machine);
  ASSERT_TRUE(question.cases) << pair.model;
  const Case& bare = question.bare();
  const PlanAnswer answer = question.answer();
  if (answer.memory_unknown || !bare.model().generates.value_or(true)) return;
  ++counts.pairs;
  const std::string where = pair.model + " on " + pair.machine->name + ": ";
  // Nothing that `check` takes is missing.
  for (const Layout& layout :
       all_layouts(static_cast<int>(bare.host().gpus.size()), bare.model().is_moe())) {
    ++counts.layouts;
    const bool planned = std::ranges::any_of(answer.plans, [&layout](const Plan& plan) {
      return plan.fits && plan.layout == layout && plan.model.empty() && !plan.small_cache;
    });
    if (planned) continue;
    const auto launch =
        gathered(*pair.machine, {.argv = typed(pair.model, layout, question.ask.context),
                                 .file = {},
                                 .pid = {},
                                 .engine_version = {},
                                 .without_learned = true});
    EXPECT_TRUE(refused_by_check(launch->cases.front()))
        << where << layout.label() << " passes check and is no plan";
  }
  // Nothing is offered that `check` would refuse, as it would be pasted: the best one whole, of the
  // others every rule by itself.
  for (const Plan& plan : answer.plans) {
    if (!plan.fits) continue;
    ++counts.plans;
    ASSERT_FALSE(plan.commands.empty()) << where << plan.label;
    const std::string& command = plan.commands.back();
    const auto launch = gathered(*pair.machine, {}, command);
    ASSERT_TRUE(launch && launch->cases.size() == 1) << where << command;
    const Case& read = launch->cases.front();
    const auto broken = first_broken(read, "SX");
    EXPECT_FALSE(broken) << where << command << ": " << broken->code;
    if (&plan != &answer.plans.front()) continue;
    const auto errors = errors_of(read);
    EXPECT_TRUE(errors.empty()) << where << command << ": " << told(errors);
  }
  // What is out breaks the rule that is named.
  for (const Rejected& rejected : answer.rejected) {
    ++counts.refused;
    EXPECT_FALSE(rejected.code.empty()) << where << rejected.label;
    EXPECT_FALSE(rejected.why.empty()) << where << rejected.label;
    const auto launch =
        gathered(*pair.machine, {.argv = typed(pair.model, rejected.layout, question.ask.context),
                                 .file = {},
                                 .pid = {},
                                 .engine_version = {},
                                 .without_learned = true});
    EXPECT_TRUE(broken_by(launch->cases.front(), rejected.name))
        << where << rejected.label << " is out by " << rejected.code << ", check says "
        << told(errors_of(launch->cases.front()));
  }
}

TEST(PlannerAndChecker, AgreeOnEveryLayout) {
  Counts counts;
  std::size_t next = 0;
  for (const auto id : model_ids()) {
    const std::string model(id);
    agree_on({model, &machines()[next++ % machines().size()]}, counts);
    if (next % 30 == 0)
      agree_on({model, &large_machines()[next / 30 % large_machines().size()]}, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(counts.pairs, 200);
  EXPECT_GE(counts.layouts, 500);
  EXPECT_GE(counts.plans, 200);
  EXPECT_GE(counts.refused, 150);
  std::cout << counts.pairs << " pairs, " << counts.layouts << " layouts, " << counts.plans
            << " plans, " << counts.refused << " out\n";
}

}  // namespace
}  // namespace sx
