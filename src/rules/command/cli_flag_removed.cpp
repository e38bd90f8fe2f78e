// SX1102. The long explanation and the scenes are in cli_flag_removed.md.
#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/successors.h"

namespace sx::rules {
namespace {

constexpr Text kGone{"{engine} no longer has the flag {flag}", "{engine} 已经没有 {flag} 这个参数"};
constexpr Text kNotYet{"{engine} does not have the flag {flag} yet",
                       "{engine} 还没有 {flag} 这个参数"};
constexpr Text kMaybeGone{"{engine} may no longer have the flag {flag}",
                          "{engine} 可能已经没有 {flag} 这个参数"};
constexpr Text kMaybeNotYet{"{engine} may not have the flag {flag} yet",
                            "{engine} 可能还没有 {flag} 这个参数"};
constexpr Text kGoneInNewer{"newer builds of {engine} no longer have the flag {flag}",
                            "较新的 {engine} 构建已经没有 {flag} 这个参数"};
constexpr Text kLastSeen{"{last} has it, {gone} does not", "{last} 还有，{gone} 已没有"};
constexpr Text kOnlyBefore{"only versions before {gone} have it", "只有 {gone} 之前的版本才有"};
constexpr Text kCameBack{"gone in {gone}, back in {back}", "{gone} 起没有，{back} 又恢复"};
constexpr Text kFirstSeen{"{before} does not have it, {first} does",
                          "{before} 还没有，{first} 才有"};
constexpr Text kBecause{"to the parser an older or newer version's flag is an unknown word",
                        "对解析器来说，其他版本的参数只是不认识的词"};
constexpr Text kOtherwise{
    "after some seconds of imports it exits with status 2: \"unrecognized arguments: {words}\"",
    "导入几秒后以状态码 2 退出：“unrecognized arguments: {words}”"};
constexpr Text kAmbiguous{
    "after some seconds of imports it exits with status 2: \"ambiguous option: {flag}\"",
    "导入几秒后以状态码 2 退出：“ambiguous option: {flag}”"};
constexpr Text kPerhaps{
    "where it is missing, the launch ends within seconds: \"unrecognized arguments: {words}\"",
    "如果确实没有，几秒内就会退出：“unrecognized arguments: {words}”"};

constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"it exits at once with status 1 and names the flag", "立即以状态码 1 退出，并指出这个参数"}}};
constexpr OfEngine kPerhapsOf[] = {
    {"llamacpp",
     {"where it is missing, the launch ends at once with status 1 and names the flag",
      "如果确实没有，会立即以状态码 1 退出，并指出这个参数"}}};

constexpr Need kNeeds[] = {Need::Flags};

// The newest version read that is older.
std::string read_before(const EngineFlags& flags, const Version& version) {
  const Version* before = &flags.read.front();
  for (const Version& read : flags.read) {
    if (read < version) before = &read;
  }
  return before->text();
}

// Whether the version lies at the end of the flag's life and not at its beginning.
bool at_its_end(const FlagRow& row, const Version& version) {
  return row.removed && (!row.first_seen || *row.first_seen <= version);
}

Message life_of(const EngineFlags& flags, const FlagRow& row, bool end) {
  if (!end) {
    const Version first = row.first_seen.value_or(flags.oldest());
    return {kFirstSeen, {{"before", read_before(flags, first)}, {"first", first.text()}}};
  }
  const Version removed = row.removed.value_or(flags.newest());
  const Argument gone("gone", removed.text());
  if (row.returned) return {kCameBack, {gone, {"back", row.returned->text()}}};
  if (removed <= flags.oldest()) return {kOnlyBefore, {gone}};
  return {kLastSeen, {{"last", read_before(flags, removed)}, gone}};
}

// The name of another version's flag may be a beginning that several flags here share.
bool begins_several(const ServeSpec& serve, const FlagUse& use) {
  return std::ranges::any_of(serve.problems, [&](const FlagProblem& problem) {
    const bool other_version =
        problem.kind == FlagProblem::Kind::Removed || problem.kind == FlagProblem::Kind::NotYet;
    return other_version && problem.first_word == use.first_word && problem.typed == use.typed &&
           problem.candidates.size() > 1;
  });
}

Complaint complaint_about(const Case& c, const EngineFlags& flags, const FlagRow& row,
                          const FlagUse& use) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const bool end = at_its_end(row, c.serve.version);
  const std::vector<Argument> arguments{{"engine", engine_and_version(c.serve)},
                                        {"flag", use.typed}};
  // An older build may be the one that runs, and takes the flag.
  const bool guess = end && build_is_a_guess(c.serve);
  if (guess) {
    complaint.severity = Severity::Warning;
    d.title = {kGoneInNewer, {{"engine", engine_name(c.serve)}, {"flag", use.typed}}};
  } else if (use.possible) {
    complaint.severity = Severity::Warning;
    d.title = {end ? kMaybeGone : kMaybeNotYet, arguments};
  } else {
    d.title = {end ? kGone : kNotYet, arguments};
  }
  mark(d, use.span, life_of(flags, row, end));
  say_version(d, c.serve);
  d.because = kBecause;
  const std::string words = quoted_back(use.typed, join(use.values, " "));
  d.otherwise = {use.possible || guess ? of_engine(c.serve, kPerhapsOf, kPerhaps)
                                       : of_engine(c.serve, kOtherwiseOf, kOtherwise),
                 {{"words", words}}};
  if (begins_several(c.serve, use)) d.otherwise = {kAmbiguous, {{"flag", use.typed}}};
  d.subject = row.name;
  if (use.spliced) {
    d.no_fix = mend_in_file(c, use.span);
  } else {
    complaint.proposals = end ? in_place_of_removed(c, row, use) : in_place_of_newer(c, row, use);
    // An old build may lack what took the flag's place: nobody's command is changed on a guess.
    if (guess)
      for (Proposal& proposal : complaint.proposals) proposal.safety = Safety::Trades;
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return complaints;
  std::set<std::string_view> said;
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags->find(use.name);
    if (row == nullptr || said.contains(row->name)) continue;
    const Standing standing = flags->standing(*row, c.serve.version);
    const bool missing = standing == Standing::NotYet || standing == Standing::Removed;
    if (!missing && !(use.possible && standing == Standing::Possible)) continue;
    said.insert(row->name);
    complaints.push_back(complaint_about(c, *flags, *row, use));
  }
  return complaints;
}

}  // namespace

extern const Rule cli_flag_removed{
    .code = "SX1102",
    .name = "cli-flag-removed",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
