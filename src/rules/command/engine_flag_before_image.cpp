// SX1122. The long explanation and the scenes are in engine_flag_before_image.md.
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "knowledge/flags.h"

namespace sx::rules {
namespace {

constexpr std::size_t kMostMarks = 3;

constexpr Text kTitle{"{options} in front of the image: {program} has no such option, {engine} has",
                      "{options} 写在镜像名之前：{program} 没有这个选项，它属于 {engine}"};
constexpr Text kLabel{"a flag of {engine}", "{engine} 的参数"};
constexpr Text kBecause{
    "what stands between `run` and the image's name are options of {program} itself",
    "`run` 和镜像名之间的内容，是 {program} 自己的选项"};
constexpr Text kOtherwise{"nothing starts: \"unknown flag: {flag}\", exit code 125",
                          "什么都不会启动：“unknown flag: {flag}”，退出码 125"};
constexpr Text kMove{"put them behind the image", "移到镜像名之后"};

const EngineFlags* flags_of(const Case& c) { return engine_flags(c.serve.engine); }

std::vector<const ContainerOption*> strangers(const Case& c, const ContainerLine& line) {
  std::vector<const ContainerOption*> found;
  const EngineFlags* flags = flags_of(c);
  if (flags == nullptr) return found;
  for (const ContainerOption& option : line.options) {
    const std::string name = replaced(option.name, "_", "-");
    if (option.known == nullptr && option.name.starts_with("--") && flags->find(name) != nullptr)
      found.push_back(&option);
  }
  return found;
}

std::vector<Complaint> check(const Case& c) {
  const auto line = run_line(c.command);
  if (!line) return {};
  const auto found = strangers(c, *line);
  if (found.empty()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const std::string engine = engine_name(c.serve);
  std::vector<std::string> options;
  Proposal move{.title = kMove, .changes = {}};
  for (const ContainerOption* option : found) {
    if (options.size() < kMostMarks) options.push_back(option->name);
    if (d.labels.size() < kMostMarks) mark(d, option->span, {kLabel, {{"engine", engine}}});
    move.changes.push_back(move_inside(option->first_word, option->word_count));
  }
  d.title = {kTitle,
             {{"options", join(options, ", ") + (options.size() < found.size() ? ", …" : "")},
              {"program", line->program},
              {"engine", engine}}};
  d.because = {kBecause, {{"program", line->program}}};
  d.otherwise = {kOtherwise, {{"flag", found.front()->name}}};
  d.subject = flags_of(c)->find(replaced(found.front()->name, "_", "-"))->name;
  complaint.proposals.push_back(std::move(move));
  return {complaint};
}

}  // namespace

extern const Rule engine_flag_before_image{
    .code = "SX1122",
    .name = "engine-flag-before-image",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
