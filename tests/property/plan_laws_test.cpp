// Laws of whole answers: sums, more of one thing never less of another, and equal GPUs that are
// counted otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "fit/links.h"
#include "property/plan_asking.h"

namespace sx {
namespace {

using testing::Machine;
using testing::PlanQuestion;

// One of each kind: small, large, experts, windows, states.
const std::vector<std::string>& models() {
  static const std::vector<std::string> all{"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-72B-Instruct",
                                            "Qwen/Qwen3-30B-A3B",       "google/gemma-3-27b-it",
                                            "openai/gpt-oss-20b",       "Qwen/Qwen3.5-27B",
                                            "Qwen/Qwen3-235B-A22B-FP8"};
  return all;
}

std::int64_t sum_of(const GpuBudget& gpu) {
  std::int64_t sum = 0;
  for (const BudgetLine& line : gpu.lines) sum += line.bytes.count();
  return sum;
}

const Plan* find(const PlanAnswer& answer, const Layout& layout) {
  const auto found = std::ranges::find(answer.plans, layout, &Plan::layout);
  return found == answer.plans.end() ? nullptr : &*found;
}

double all_tokens(const Plan& plan) {
  return static_cast<double>(plan.kv_tokens.count()) * plan.replicas;
}

TEST(PlanLaws, LinesOfABudgetSumToTheCard) {
  int budgets = 0;
  for (const std::string& model : models()) {
    for (const char* machine : {"6xA100-PCIE-40GB", "2xH200"}) {
      const PlanQuestion question(model, {machine, ""});
      for (const Plan& plan : question.answer().plans) {
        for (const GpuBudget& gpu : plan.budget().gpus) {
          const std::int64_t sum = sum_of(gpu);
          if (gpu.kv_bytes > Bytes{0})
            EXPECT_EQ(sum, gpu.capacity.count()) << model << ' ' << machine << ' ' << plan.label;
          else
            EXPECT_GE(sum, gpu.capacity.count()) << model << ' ' << machine << ' ' << plan.label;
          ++budgets;
        }
      }
    }
  }
  EXPECT_GE(budgets, 300);
}

// With the same settings: what the planner sets for more room is another command.
TEST(PlanLaws, LongerRequestsNeverMeanMoreOfThemAtOnce) {
  int compared = 0;
  for (const std::string& model : models()) {
    PlanQuestion question(model, {"4xA100-SXM4-80GB", ""});
    std::vector<PlanAnswer> answers;
    for (const std::int64_t context : {2048, 8192, 32768}) {
      question.ask.context = Tokens{context};
      answers.push_back(question.answer());
    }
    for (std::size_t i = 1; i < answers.size(); ++i) {
      for (const Plan& longer : answers[i].plans) {
        if (!longer.fits) continue;
        const Plan* shorter = find(answers[i - 1], longer.layout);
        // Whatever holds the longer request holds the shorter one.
        ASSERT_NE(shorter, nullptr) << model << ' ' << longer.label;
        ASSERT_TRUE(shorter->fits) << model << ' ' << longer.label;
        EXPECT_LE(longer.max_concurrency, shorter->max_concurrency * 1.0001)
            << model << ' ' << longer.label;
        ++compared;
      }
      EXPECT_LE(answers[i].fitting, answers[i - 1].fitting) << model;
    }
  }
  EXPECT_GE(compared, 100);
}

TEST(PlanLaws, MoreGpusNeverMeanFewerTokensOfTheRoomiestPlan) {
  for (const std::string& model : models()) {
    for (const char* card : {"L40S", "A100-PCIE-40GB"}) {
      double before = 0;
      Tokens longest;
      for (const int count : {1, 2, 4, 6}) {
        PlanQuestion question(model, {std::to_string(count) + 'x' + card, ""});
        question.ask.goal = Goal::Context;
        const PlanAnswer answer = question.answer();
        if (!answer.any_fits()) {
          EXPECT_EQ(before, 0) << model << " on " << count << " x " << card;
          continue;
        }
        double most = 0;
        for (const Plan& plan : answer.plans) {
          if (plan.fits && plan.model.empty()) most = std::max(most, all_tokens(plan));
        }
        EXPECT_GE(most, before) << model << " on " << count << " x " << card;
        EXPECT_GE(answer.plans.front().max_context, longest) << model << ' ' << count << card;
        before = most;
        if (answer.plans.front().model.empty()) longest = answer.plans.front().max_context;
      }
    }
  }
}

TEST(PlanLaws, MoreUsersNeverMakeOneOfThemFaster) {
  int compared = 0;
  for (const std::string& model : models()) {
    PlanQuestion question(model, {"4xL40S", ""});
    std::vector<PlanAnswer> answers;
    for (const int users : {1, 8, 64, 256}) {
      question.ask.load.users = users;
      answers.push_back(question.answer());
    }
    for (std::size_t i = 1; i < answers.size(); ++i) {
      for (const Plan& more : answers[i].plans) {
        const Plan* fewer = find(answers[i - 1], more.layout);
        if (fewer == nullptr || !fewer->speed || !more.speed) continue;
        // Requests that wait are not counted by time a token: only loads that all run compare.
        if (more.speed->running < question.ask.load.users && i + 1 == answers.size()) continue;
        if (more.speed->running < fewer->speed->running) continue;
        EXPECT_GE(more.speed->tpot_s.mid, fewer->speed->tpot_s.mid * 0.999)
            << model << ' ' << more.label << " step " << i;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 100);
}

// One card of several is half taken, whichever: the same plans over the others.
TEST(PlanLaws, EqualGpusInAnotherOrderChangeIndicesOnly) {
  for (const std::string& model : models()) {
    for (const int gpus : {3, 4}) {
      const PlanQuestion question(model, {std::to_string(gpus) + "xA100-PCIE-40GB", ""});
      HostSpec host = question.bare().host();
      host.gpus.front().used = {gib(20), Origin::Flag};
      Case first = question.bare();
      first.host_spec = first.whole_host = &host;
      PlanAsk first_ask = question.ask;
      first_ask.launches = {&first};
      const PlanAnswer before = make_plans(first_ask);
      std::ranges::reverse(host.gpus);
      for (std::size_t i = 0; i < host.gpus.size(); ++i) host.gpus[i].index = static_cast<int>(i);
      Case other = question.bare();
      other.host_spec = other.whole_host = &host;
      PlanAsk ask = question.ask;
      ask.launches = {&other};
      const PlanAnswer after = make_plans(ask);
      ASSERT_EQ(before.plans.size(), after.plans.size()) << model;
      for (std::size_t i = 0; i < before.plans.size(); ++i) {
        EXPECT_EQ(before.plans[i].label, after.plans[i].label) << model;
        EXPECT_EQ(before.plans[i].kv_tokens, after.plans[i].kv_tokens) << model;
        EXPECT_DOUBLE_EQ(before.plans[i].cost, after.plans[i].cost) << model;
      }
      ASSERT_EQ(before.rejected.size(), after.rejected.size()) << model;
      for (std::size_t i = 0; i < before.rejected.size(); ++i)
        EXPECT_EQ(before.rejected[i].code, after.rejected[i].code) << model;
    }
  }
}

// Two pairs behind two switches; whichever GPUs make the pairs, the plans are the same ones.
TEST(PlanLaws, PairsInAnotherOrderChangeIndicesOnly) {
  const auto matrix = [](const std::vector<int>& switch_of) {
    std::string text = "\t";
    for (std::size_t i = 0; i < switch_of.size(); ++i) text += "GPU" + std::to_string(i) + '\t';
    text += "CPU Affinity\tNUMA Affinity\n";
    for (std::size_t i = 0; i < switch_of.size(); ++i) {
      text += "GPU" + std::to_string(i) + '\t';
      for (std::size_t j = 0; j < switch_of.size(); ++j)
        text += i == j ? " X \t" : switch_of[i] == switch_of[j] ? "NV4\t" : "SYS\t";
      text += "0-31\t0\n";
    }
    return text;
  };
  for (const std::string& model : models()) {
    const PlanQuestion neighbours(model, {"4xA100-PCIE-40GB", matrix({0, 0, 1, 1})});
    const PlanQuestion crossed(model, {"4xA100-PCIE-40GB", matrix({0, 1, 0, 1})});
    ASSERT_TRUE(neighbours.cases && crossed.cases);
    ASSERT_TRUE(neighbours.bare().host().links.known());
    const PlanAnswer before = neighbours.answer(), after = crossed.answer();
    ASSERT_EQ(before.plans.size(), after.plans.size()) << model;
    for (std::size_t i = 0; i < before.plans.size(); ++i) {
      EXPECT_EQ(before.plans[i].label, after.plans[i].label) << model;
      EXPECT_EQ(before.plans[i].kv_tokens, after.plans[i].kv_tokens) << model;
      EXPECT_DOUBLE_EQ(before.plans[i].cost, after.plans[i].cost) << model;
      if (before.plans[i].layout.tensor != 2) continue;
      for (const auto& group : after.plans[i].gpus)
        EXPECT_EQ(group[0] % 2, group[1] % 2) << model << ' ' << after.plans[i].label;
    }
  }
}

}  // namespace
}  // namespace sx
