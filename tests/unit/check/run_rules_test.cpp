// The runner: who speaks, who waits, which fixes stand. Rules here are made up; the case is a real
// command.
#include "check/run_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/engine.h"
#include "read/shell_words.h"

namespace sx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Text kSomething{"something is wrong", "有问题"};
constexpr Text kDo{"do this", "这样做"};

class RunRules : public testing::Test {
 protected:
  Case asking(const std::vector<std::string>& argv) {
    Case c;
    c.command = command_from_argv(sources_, argv);
    const Engine* engine = find_engine("vllm");
    c.serve = engine->understand(c.command, Version{.major = 0, .minor = 33}, sources_,
                                 [](std::string_view) { return std::nullopt; });
    c.sources = &sources_;
    c.model_spec = &model_;
    c.host_spec = &host_;
    c.visible = visible_devices(c.serve, host_);
    return c;
  }

  Sources sources_;
  ModelSpec model_;
  HostSpec host_;
};

Complaint about(const Case& c, std::string_view subject, std::vector<Change> changes) {
  Complaint complaint;
  complaint.diagnostic.title = {kSomething};
  complaint.diagnostic.subject = subject;
  if (const FlagUse* use = c.serve.use_of(subject))
    complaint.diagnostic.labels.push_back({use->span, {}, true});
  if (!changes.empty())
    complaint.proposals.push_back({{kDo}, std::move(changes), Safety::ChangesBehaviour});
  return complaint;
}

// An even port is wrong; the first proposal is wrong too.
std::vector<Complaint> even_port(const Case& c) {
  if (c.serve.port.value() % 2 != 0) return {};
  Complaint complaint = about(c, "--port", {set_flag("--port", "8002")});
  complaint.proposals.push_back({{kDo}, {set_flag("--port", "9001")}, Safety::ChangesBehaviour});
  return {complaint};
}

// Ports from 9000 on are wrong.
std::vector<Complaint> high_port(const Case& c) {
  if (c.serve.port.value() < 9000) return {};
  return {about(c, "--port", {set_flag("--port", "8001")})};
}

std::vector<Complaint> eager(const Case& c) {
  if (!c.serve.enforce_eager.value_or(false)) return {};
  return {about(c, "--enforce-eager", {remove_flag("--enforce-eager")})};
}

std::vector<Complaint> always(const Case& c) { return {about(c, "everything", {})}; }
std::vector<Complaint> never(const Case&) { return {}; }

constexpr Need kNeedsHeads[] = {Need::ModelHeads};
constexpr Need kNeedsLayout[] = {Need::Layout};
constexpr Need kNeedsBudget[] = {Need::MemoryBudget};

Rule rule(std::string_view code, std::vector<Complaint> (*check)(const Case&),
          Severity severity = Severity::Error) {
  return {.code = code,
          .name = "a-rule",
          .severity = severity,
          .needs = {},
          .doubts = {},
          .covers = {},
          .check = check};
}

std::vector<std::string_view> codes(const Outcome& outcome) {
  std::vector<std::string_view> all;
  for (const Diagnostic& d : outcome.diagnostics) all.push_back(d.code);
  return all;
}

TEST_F(RunRules, ARuleWithoutItsFactsIsNotCheckedAndSaysWhy) {
  Rule needy = rule("SX2001", always);
  needy.needs = kNeedsHeads;
  const Rule* rules[] = {&needy};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m"}));
  EXPECT_THAT(outcome.diagnostics, IsEmpty());
  ASSERT_THAT(outcome.not_checked, SizeIs(1));
  EXPECT_THAT(outcome.not_checked[0].missing, ElementsAre("model.heads"));
  EXPECT_FALSE(outcome.not_checked[0].reason.empty());
  EXPECT_EQ(outcome.checked, 0);
}

TEST_F(RunRules, FamiliesSpeakInCausalOrder) {
  const Rule serving = rule("SX8001", always), memory = rule("SX3001", always),
             model = rule("SX4001", always), command = rule("SX1001", always),
             layout = rule("SX2001", always);
  const Rule* rules[] = {&serving, &memory, &model, &command, &layout};
  EXPECT_THAT(codes(run_rules(rules, asking({"vllm", "serve", "m"}))),
              ElementsAre("SX1001", "SX4001", "SX2001", "SX3001", "SX8001"));
}

TEST_F(RunRules, ErrorsComeBeforeWarningsOfTheSameFamily) {
  const Rule mild = rule("SX2001", always, Severity::Warning), hard = rule("SX2002", always);
  const Rule* rules[] = {&mild, &hard};
  EXPECT_THAT(codes(run_rules(rules, asking({"vllm", "serve", "m"}))),
              ElementsAre("SX2002", "SX2001"));
}

TEST_F(RunRules, ARuleWaitsForTheErrorThatMadeItsFactsDoubtful) {
  Rule first = rule("SX2001", always), second = rule("SX3001", always),
       third = rule("SX3002", always);
  first.doubts = kNeedsLayout;
  second.needs = kNeedsLayout;
  third.needs = kNeedsBudget;  // rests on the layout
  const Rule* rules[] = {&first, &second, &third};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m"}));
  EXPECT_THAT(codes(outcome), ElementsAre("SX2001"));
  ASSERT_THAT(outcome.held_back, SizeIs(2));
  EXPECT_EQ(outcome.held_back[0].until, "SX2001");
}

TEST_F(RunRules, AWarningMakesNothingDoubtful) {
  Rule first = rule("SX2001", always, Severity::Warning), second = rule("SX3001", always);
  first.doubts = kNeedsLayout;
  second.needs = kNeedsLayout;
  const Rule* rules[] = {&first, &second};
  EXPECT_THAT(run_rules(rules, asking({"vllm", "serve", "m"})).held_back, IsEmpty());
}

TEST_F(RunRules, AFixThatDoesNotHelpIsNotShown) {
  const Rule port = rule("SX8001", even_port);
  const Rule* rules[] = {&port};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(1));
  ASSERT_THAT(outcome.diagnostics[0].fixes, SizeIs(1));
  EXPECT_EQ(outcome.diagnostics[0].fixes[0].command, "vllm serve m --port 9001");
}

TEST_F(RunRules, AFixThatBringsANewErrorIsNotShown) {
  const Rule port = rule("SX8001", even_port), high = rule("SX8002", high_port);
  const Rule* rules[] = {&port, &high};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(1));
  EXPECT_THAT(outcome.diagnostics[0].fixes, IsEmpty());
}

TEST_F(RunRules, TheGeneralComplaintAboutTheSameThingIsCovered) {
  constexpr static std::string_view kCovered[] = {"SX2002"};
  Rule special = rule("SX2001", always), general = rule("SX2002", always);
  special.covers = kCovered;
  const Rule* rules[] = {&special, &general};
  EXPECT_THAT(codes(run_rules(rules, asking({"vllm", "serve", "m"}))), ElementsAre("SX2001"));
}

TEST_F(RunRules, FirstFixesTogetherAreOneCommand) {
  const Rule port = rule("SX8001", even_port), graphs = rule("SX3001", eager);
  const Rule* rules[] = {&port, &graphs};
  const Outcome outcome =
      run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager", "--port", "8000"}));
  EXPECT_THAT(outcome.diagnostics, SizeIs(2));
  EXPECT_EQ(outcome.combined.command, "vllm serve m --port 9001");
}

// Two rules that want different ports; the second also takes what the first proposes when asked
// again.
std::vector<Complaint> low_port(const Case& c) {
  if (c.serve.port.value() >= 8100) return {};
  return {about(c, "--port", {set_flag("--port", "8101")})};
}

std::vector<Complaint> port_of_three(const Case& c) {
  if (c.serve.port.value() % 3 == 0) return {};
  Complaint complaint = about(c, "--port", {set_flag("--port", "8001")});
  complaint.proposals.push_back({{kDo}, {set_flag("--port", "8103")}, Safety::ChangesBehaviour});
  return {complaint};
}

TEST_F(RunRules, FirstFixesThatWantDifferentValuesAreMendedUntilNoErrorIsLeft) {
  const Rule low = rule("SX8001", low_port), three = rule("SX8002", port_of_three);
  const Rule* rules[] = {&low, &three};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8002"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(2));
  EXPECT_TRUE(outcome.combined.clears_errors);
  EXPECT_EQ(outcome.combined.command, "vllm serve m --port 8103");
}

TEST_F(RunRules, AFixThatLeavesAnotherErrorDoesNotClearAll) {
  const Rule port = rule("SX8001", even_port), graphs = rule("SX3001", eager);
  const Rule* rules[] = {&port, &graphs};
  const Outcome outcome =
      run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(2));
  EXPECT_FALSE(outcome.diagnostics[0].fixes[0].clears_errors);
  EXPECT_TRUE(outcome.combined.clears_errors);
}

// Wants another block size, but only while graphs are off.
std::vector<Complaint> block_without_graphs(const Case& c) {
  if (!c.serve.enforce_eager.value_or(false) || c.serve.block_size.value_or(0) == 32) return {};
  return {about(c, "--block-size", {set_flag("--block-size", "32")})};
}

TEST_F(RunRules, AChangeThatAnotherFixMakesPointlessIsLeftOut) {
  const Rule block = rule("SX1001", block_without_graphs), graphs = rule("SX3001", eager);
  const Rule* rules[] = {&block, &graphs};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(2));
  EXPECT_EQ(outcome.combined.command, "vllm serve m");
}

// The first proposal makes a warning speak that was silent, the second does not.
std::vector<Complaint> port_or_graphs(const Case& c) {
  if (c.serve.port.value() != 8000) return {};
  Complaint complaint = about(c, "--port", {set_flag("--port", "9001")});
  complaint.proposals.push_back({{kDo}, {set_flag("--port", "8001")}, Safety::ChangesBehaviour});
  return {complaint};
}

TEST_F(RunRules, AFixThatBringsAWarningComesLastAndSaysSo) {
  const Rule port = rule("SX8001", port_or_graphs),
             high = rule("SX8002", high_port, Severity::Warning);
  const Rule* rules[] = {&port, &high};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(1));
  const auto& fixes = outcome.diagnostics[0].fixes;
  ASSERT_THAT(fixes, SizeIs(2));
  EXPECT_EQ(fixes[0].command, "vllm serve m --port 8001");
  EXPECT_THAT(fixes[0].brings, IsEmpty());
  EXPECT_EQ(fixes[1].command, "vllm serve m --port 9001");
  ASSERT_THAT(fixes[1].brings, SizeIs(1));
  EXPECT_EQ(fixes[1].brings[0].code, "SX8002");
}

TEST_F(RunRules, AWarningThatWasThereBeforeIsNotBrought) {
  const Rule port = rule("SX8001", port_or_graphs),
             other = rule("SX8002", always, Severity::Warning);
  const Rule* rules[] = {&port, &other};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(2));
  ASSERT_THAT(outcome.diagnostics[0].fixes, SizeIs(2));
  EXPECT_EQ(outcome.diagnostics[0].fixes[0].command, "vllm serve m --port 9001");
  EXPECT_THAT(outcome.diagnostics[0].fixes[0].brings, IsEmpty());
}

TEST_F(RunRules, WhatWaitedForTheErrorIsNoFaultOfAnyOfItsFixes) {
  Rule port = rule("SX2001", port_or_graphs);
  port.doubts = kNeedsLayout;
  Rule waiting = rule("SX3001", always, Severity::Warning);
  waiting.needs = kNeedsLayout;
  const Rule* rules[] = {&port, &waiting};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(1));
  ASSERT_THAT(outcome.diagnostics[0].fixes, SizeIs(2));
  for (const Fix& fix : outcome.diagnostics[0].fixes) EXPECT_THAT(fix.brings, IsEmpty());
}

// The first proposal clears the other error as well, so that what waited for that one speaks.
std::vector<Complaint> port_with_or_without_graphs(const Case& c) {
  if (c.serve.port.value() != 8000) return {};
  Complaint complaint = about(c, "--port", {set_flag("--port", "8001")});
  complaint.proposals.front().changes.push_back(remove_flag("--enforce-eager"));
  complaint.proposals.push_back({{kDo}, {set_flag("--port", "8003")}, Safety::ChangesBehaviour});
  return {complaint};
}

TEST_F(RunRules, AFixIsNotBlamedForWhatAnotherOneOnlyKeepsWaiting) {
  const Rule port = rule("SX1001", port_with_or_without_graphs);
  Rule graphs = rule("SX2001", eager), waiting = rule("SX3001", always, Severity::Warning);
  graphs.doubts = kNeedsLayout;
  waiting.needs = kNeedsLayout;
  const Rule* rules[] = {&port, &graphs, &waiting};
  const Outcome outcome =
      run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(2));
  const auto& fixes = outcome.diagnostics[0].fixes;
  ASSERT_THAT(fixes, SizeIs(2));
  EXPECT_EQ(fixes[0].command, "vllm serve m --port 8001");
  EXPECT_THAT(fixes[0].brings, IsEmpty());
}

TEST_F(RunRules, NothingWaitsForAnErrorThatIsAllowed) {
  constexpr static std::string_view kCovered[] = {"SX2002"};
  Rule first = rule("SX2001", always), weaker = rule("SX2002", always),
       second = rule("SX3001", eager);
  first.doubts = kNeedsLayout;
  first.covers = kCovered;
  weaker.doubts = kNeedsLayout;
  second.needs = kNeedsLayout;
  const Rule* rules[] = {&first, &weaker, &second};
  const Outcome outcome =
      run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager"}), {"SX2001"});
  EXPECT_THAT(codes(outcome), ElementsAre("SX2001", "SX3001"));
  EXPECT_THAT(outcome.held_back, IsEmpty());
  EXPECT_TRUE(outcome.diagnostics[1].fixes[0].clears_errors);
}

TEST_F(RunRules, OneFindingNeedsNoCombinedCommand) {
  const Rule graphs = rule("SX3001", eager);
  const Rule* rules[] = {&graphs};
  EXPECT_TRUE(
      run_rules(rules, asking({"vllm", "serve", "m", "--enforce-eager"})).combined.command.empty());
}

// Wants graphs off wherever the port is odd.
std::vector<Complaint> odd_port_with_graphs(const Case& c) {
  if (c.serve.port.value() % 2 == 0 || c.serve.enforce_eager.value_or(false)) return {};
  return {about(c, "--enforce-eager", {add_switch("--enforce-eager")})};
}

TEST_F(RunRules, AWarningThatWaitedForTheErrorIsCuredInTheWholeCommand) {
  Rule port = rule("SX2001", even_port);
  port.doubts = kNeedsLayout;
  Rule waiting = rule("SX3001", odd_port_with_graphs, Severity::Warning);
  waiting.needs = kNeedsLayout;
  const Rule* rules[] = {&port, &waiting};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m", "--port", "8000"}));
  ASSERT_THAT(outcome.diagnostics, SizeIs(1));
  EXPECT_EQ(outcome.diagnostics[0].fixes[0].command, "vllm serve m --port 9001");
  EXPECT_EQ(outcome.combined.command, "vllm serve m --port 9001 --enforce-eager");
  EXPECT_TRUE(outcome.combined.clears_errors);
}

TEST_F(RunRules, NothingWrongIsCounted) {
  const Rule quiet = rule("SX3001", never);
  const Rule* rules[] = {&quiet};
  const Outcome outcome = run_rules(rules, asking({"vllm", "serve", "m"}));
  EXPECT_EQ(outcome.checked, 1);
  EXPECT_FALSE(any_at_least(outcome, Severity::Advice));
}

TEST_F(RunRules, AThousandComplaintsAreCutAtTheLimit) {
  const Rule many = rule("SX3001", [](const Case& c) {
    return std::vector<Complaint>(1000, about(c, "everything", {}));
  });
  const Rule* rules[] = {&many};
  EXPECT_THAT(run_rules(rules, asking({"vllm", "serve", "m"})).diagnostics, SizeIs(200));
}

}  // namespace
}  // namespace sx
