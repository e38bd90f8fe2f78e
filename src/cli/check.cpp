// `sextant check` and `sextant fix`: gather the cases, ask the rules, say the answer.
#include "cli/check.h"

#include <algorithm>

#include "base/strings.h"
#include "check/allow.h"
#include "check/run_rules.h"
#include "check/secrets.h"
#include "cli/budget_answer.h"
#include "cli/check_deployment.h"
#include "cli/check_formats.h"
#include "cli/commands.h"
#include "cli/host_ask.h"
#include "cli/nearest_answer.h"
#include "facts/launch_line.h"
#include "gather/gather_case.h"
#include "knowledge/engine_names.h"
#include "knowledge/other_engines.h"
#include "rules/all.h"
#include "sys/heap_room.h"

namespace sx {
namespace {

constexpr Text kNoCommand{
    "no launch was given: put it after --, or give a file with -f or a process with --pid",
    "没有给出启动命令：写在 -- 之后，或用 -f 指定文件、用 --pid 指定进程"};
constexpr Text kNothingFits{"no correction was found that passes all checks",
                            "没有找到能通过全部检查的修正"};
constexpr Text kNothingFitsIn{
    "launch {number}, line {line}: no correction was found that passes all checks",
    "第 {number} 个启动命令（第 {line} 行）：没有找到能通过全部检查的修正"};
constexpr Text kByHand{"{sentence}; to be mended by hand: {codes} (`sextant check` says how)",
                       "{sentence}；需要手动处理：{codes}（见 `sextant check`）"};
// A comment between commands: for programs as well, so in one language.
constexpr Text kLaunch{"launch {number}, line {line}", "第 {number} 个启动命令，第 {line} 行"};
constexpr Text kWithout{"the command does not hold what stands behind it: {words}",
                        "输出的命令不包含它后面的部分：{words}"};

CommandAsk command_ask(const Arguments& arguments) {
  return {.argv = arguments.launch,
          .file = arguments.value("--file"),
          .pid = arguments.value("--pid"),
          .engine_version = arguments.value("--engine-version"),
          .without_learned = arguments.has("--no-learned")};
}

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

// A file that says which models run, where it is all that is asked about.
std::optional<std::string> deployment_file(const Arguments& arguments, const Session& session) {
  const auto file = arguments.value("--file");
  const bool alone = file && arguments.launch.empty() && !arguments.has("--pid");
  return alone && is_deployment_file(*file, session.outside) ? file : std::nullopt;
}

// What is asked about, from wherever it was read.
struct Gathered {
  std::unique_ptr<GatheredCases> read;        // null: they are of `deployment`
  std::optional<DeploymentCases> deployment;  // empty: the launches stand where they were read

  const GatheredCases& all() const { return deployment ? *deployment->cases : *read; }
};

// Nothing: a deployment file has mistakes, and they are said.
Result<std::optional<Gathered>> gathered_of(const Arguments& arguments, Session& session,
                                            Language language) {
  if (arguments.launch.empty() && !arguments.has("--file") && !arguments.has("--pid"))
    return fail(Error::Kind::Usage, in_both(Message{kNoCommand}));
  Outside outside = session.outside;
  std::unique_ptr<Http> http;  // nothing of the web is opened unless --online is there
  if (arguments.has("--online")) {
    SX_TRY(http, open_http());
    outside.http = http.get();
  }
  Gathered gathered;
  if (const auto file = deployment_file(arguments, session)) {
    SX_TRY(gathered.deployment, deployment_cases(*file, arguments, session, outside, language));
    if (!gathered.deployment) return std::optional<Gathered>();
  } else {
    SX_TRY(gathered.read, gather_cases(command_ask(arguments), host_ask(arguments), outside));
  }
  return std::optional(std::move(gathered));
}

Severity fail_on(const Arguments& arguments) {
  const std::string asked = arguments.value("--fail-on").value_or("error");
  if (asked == "warning") return Severity::Warning;
  return asked == "advice" ? Severity::Advice : Severity::Error;
}

// The files that hold the launches, each once.
std::vector<const Source*> files_of(const Gathered& gathered) {
  if (gathered.deployment) return {&gathered.deployment->file.at(0)};
  const GatheredCases& all = gathered.all();
  std::vector<const Source*> files;
  int last = -1;
  for (const Case& c : all.cases) {
    if (c.command.source == last || c.command.source < 0) continue;
    last = c.command.source;
    const Source& source = all.sources.at(last);
    if (source.kind == SourceKind::File || source.kind == SourceKind::StandardInput)
      files.push_back(&source);
  }
  return files;
}

// Of the command line, and of comments in the files.
Result<std::vector<Allowance>> allowances(const Arguments& arguments, const Gathered& gathered) {
  std::vector<Allowance> found;
  for (const std::string& said : arguments.values("--allow")) {
    SX_TRY(auto one, parse_allowance(said, rules::all()));
    found.push_back(std::move(one));
  }
  for (const Source* source : files_of(gathered)) {
    SX_TRY(auto some, allowances_in(*source, rules::all()));
    for (Allowance& one : some) found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> codes_of(const std::vector<Allowance>& allowed) {
  std::vector<std::string> codes;
  for (const Allowance& one : allowed) codes.push_back(one.code);
  return codes;
}

Asked asked_of(const Case& c) {
  Asked asked;
  asked.engine = c.serve.engine;
  asked.engine_shown = shown_engine(c.serve.engine);
  asked.version = c.serve.version.text();
  const bool recognised_only = find_other_engine(c.serve.engine) != nullptr;
  if (recognised_only) asked.version.clear();
  asked.version_assumed = !recognised_only && c.serve.version_origin == Origin::Default;
  asked.version_from = recognised_only                            ? "unknown"
                       : asked.version_assumed                    ? "default"
                       : c.serve.version_origin == Origin::Flag   ? "flag"
                       : c.serve.version_origin == Origin::Config ? "image"
                       : c.serve.version_origin == Origin::Device ? "report"
                                                                  : "metadata";
  asked.assumptions = c.host().assumed;
  for (const Message& assumption : c.model().assumed) asked.assumptions.push_back(assumption);
  for (const Message& remark : c.around.remarks) asked.assumptions.push_back(remark);
  asked.command = launch_line(c.command);
  asked.left_out = left_out(c.command);
  asked.line = c.command.line;
  return asked;
}

// Errors for which there is no change to be made by us.
std::string left_by_hand(const Outcome& outcome, const std::vector<std::string>& allowed) {
  std::vector<std::string> codes;
  for (const Diagnostic& d : outcome.diagnostics) {
    const std::string code(d.code);
    const bool told = std::ranges::find(codes, code) != codes.end();
    const bool wanted = std::ranges::find(allowed, code) != allowed.end();
    if (d.severity == Severity::Error && d.fixes.empty() && !told && !wanted) codes.push_back(code);
  }
  return join(codes, ", ");
}

// What `fix` writes: the corrected command of each launch, in order; of several, each below a
// comment that says which.
class Corrections {
 public:
  Corrections(const GatheredCases& all, const std::vector<std::string>& allowed, Language language)
      : language_(language) {
    const bool several = all.cases.size() > 1;
    for (std::size_t i = 0; i < all.cases.size(); ++i) {
      const Case& c = all.cases[i];
      const Outcome outcome = run_rules(rules::all(), c, allowed);
      const auto command = corrected(outcome, c, allowed);
      const std::vector<Argument> which{{"number", i + 1}, {"line", c.command.line}};
      if (!command) {
        const Message sentence = several ? Message{kNothingFitsIn, which} : Message{kNothingFits};
        const std::string codes = left_by_hand(outcome, allowed);
        trouble(codes.empty()
                    ? sentence
                    : Message{kByHand, {{"sentence", in_both(sentence)}, {"codes", codes}}});
        whole_ = false;
        continue;
      }
      if (several) commands_ += "# " + rendered(Message{kLaunch, which}, Language::English) + '\n';
      commands_ += *command + '\n';
      const Message without{kWithout, {{"words", left_out(c.command)}}};
      if (!left_out(c.command).empty()) trouble(without);
    }
  }

  const std::string& commands() const { return commands_; }
  const std::vector<std::string>& troubles() const { return troubles_; }
  bool whole() const { return whole_; }

 private:
  void trouble(const Message& message) {
    troubles_.push_back(trouble_line(rendered(message, language_), language_));
  }

  Language language_;
  std::string commands_;
  std::vector<std::string> troubles_;
  bool whole_ = true;  // every launch has a command
};

}  // namespace

LaunchAnswer answer_of(const Case& c, bool why, Language language,
                       std::vector<std::string> allowed) {
  LaunchAnswer answer;
  answer.asked = asked_of(c);
  answer.outcome = run_rules(rules::all(), c, std::move(allowed));
  const auto secrets = secrets_of(c);
  answer.asked.command = without_secrets(std::move(answer.asked.command), secrets);
  answer.asked.left_out = without_secrets(std::move(answer.asked.left_out), secrets);
  hide_secrets(answer.outcome, secrets);
  if (why) add_budget(answer, c, language);
  return answer;
}

Sources shown_sources(const Sources& sources, std::span<const Case> launches) {
  std::vector<Secret> all;
  for (const Case& c : launches) {
    for (Secret& secret : secrets_of(c)) all.push_back(std::move(secret));
  }
  return without_secrets(sources, all);
}

LaunchAnswer answer_of(const GatheredCases& all, const Case& c, bool why, Language language,
                       std::vector<std::string> allowed) {
  LaunchAnswer answer = answer_of(c, why, language, std::move(allowed));
  answer.asked.translated = nearest_answer(all, c);
  return answer;
}

std::optional<std::string> corrected(const Outcome& outcome, const Case& c,
                                     const std::vector<std::string>& allowed) {
  const bool wrong = std::ranges::any_of(outcome.diagnostics, [&allowed](const Diagnostic& d) {
    return d.severity == Severity::Error && std::ranges::find(allowed, d.code) == allowed.end();
  });
  if (!wrong) return launch_line(c.command);
  if (outcome.combined.clears_errors) return outcome.combined.command;
  for (const Diagnostic& d : outcome.diagnostics) {
    for (const Fix& fix : d.fixes) {
      if (fix.clears_errors) return fix.command;
    }
  }
  return {};
}

int check_command(const Arguments& arguments, Session& session) {
  constexpr Bytes kHeap = kib(512);  // the smallest check touches a little more
  make_heap_room(kHeap);
  const Style style = decide_style({.colour = arguments.colour(),
                                    .language = arguments.language(),
                                    .all = arguments.has("--all")},
                                   session.outside.environment);
  const auto gathered = gathered_of(arguments, session, style.language);
  if (!gathered) return could_not(gathered.error(), session, style.language);
  if (!*gathered) return kCouldNot;
  const GatheredCases& all = (*gathered)->all();
  const auto& deployment = (*gathered)->deployment;
  const auto allowed = allowances(arguments, **gathered);
  if (!allowed) return could_not(allowed.error(), session, style.language);

  std::vector<LaunchAnswer> answers;
  for (const Case& c : all.cases) {
    answers.push_back(
        answer_of(all, c, arguments.has("--why"), style.language, codes_of(*allowed)));
    if (deployment) put_into_file(answers.back(), answers.size() - 1, *deployment);
  }
  std::vector<Outcome*> outcomes;
  for (LaunchAnswer& answer : answers) outcomes.push_back(&answer.outcome);
  apply_allowances(outcomes, *allowed);
  const std::string format = arguments.value("--format").value_or("text");
  const Sources sources =
      deployment ? shown_sources(*deployment) : shown_sources(all.sources, all.cases);
  session.output.answer(check_answer(format, answers, sources, style));
  const bool findings = std::ranges::any_of(answers, [&](const LaunchAnswer& answer) {
    return any_at_least(answer.outcome, fail_on(arguments));
  });
  return findings ? kFindings : kDone;
}

int fix_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const auto gathered = gathered_of(arguments, session, language);
  if (!gathered) return could_not(gathered.error(), session, language);
  if (!*gathered) return kCouldNot;
  const auto allowed = allowances(arguments, **gathered);
  if (!allowed) return could_not(allowed.error(), session, language);
  Corrections corrections((*gathered)->all(), codes_of(*allowed), language);
  if (!corrections.commands().empty()) session.output.answer(corrections.commands());
  for (const std::string& line : corrections.troubles()) session.output.trouble(line);
  return corrections.whole() ? kDone : kFindings;
}

}  // namespace sx
