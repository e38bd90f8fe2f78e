// SX1121. The long explanation and the scenes are in docker_flag_after_image.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "rules/command/docker_words.h"

namespace sx::rules {
namespace {

constexpr std::size_t kMostMarks = 3;
constexpr std::size_t kMostMoved = 32;  // more behind one image is no slip of the hand

constexpr Text kTitle{"{options} behind the image: these words go to {engine}, not to {program}",
                      "{options} 写在镜像名之后：会传给 {engine}，而不是 {program}"};
constexpr Text kLabel{"behind the image", "在镜像名之后"};
constexpr Text kHere{"options of {program} end here", "{program} 的选项到此为止"};
constexpr Text kBecause{
    "everything behind the image's name is the command line of the program inside the container",
    "镜像名之后的所有内容，都是容器内程序的命令行"};
constexpr Text kOtherwise{
    "the container starts without what these options ask for, and {engine} exits within seconds: "
    "it knows no such flags",
    "容器启动时没有得到这些选项，{engine} 又不认识它们，几秒内退出"};
constexpr Text kMove{"put them in front of the image", "移到镜像名之前"};

std::vector<Complaint> check(const Case& c) {
  const auto found = docker_words_inside(c);
  if (found.empty()) return {};
  const auto line = run_line(c.command);
  if (!line) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  std::vector<std::string> options;
  Proposal move{.title = kMove, .changes = {}};
  for (const DockerWords& words : found) {
    if (options.size() == kMostMoved) break;
    const std::string& typed = c.command.words[words.first_word].text;
    options.push_back(typed.substr(0, typed.find('=')));
    Span span = c.command.words[words.first_word].span;
    for (std::size_t i = 0; i < words.word_count; ++i) {
      const Word& word = c.command.words[words.first_word + i];
      if (word.span.source == span.source) span.end = std::max(span.end, word.span.end);
    }
    move.changes.push_back(move_to_front(words.first_word, words.word_count));
    if (d.labels.size() < kMostMarks) mark(d, span, kLabel);
  }
  const std::size_t shown = std::min(options.size(), kMostMarks);
  const std::vector<std::string> named(options.begin(),
                                       options.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string engine = engine_name(c.serve);
  d.title = {kTitle,
             {{"options", join(named, ", ") + (shown < options.size() ? ", …" : "")},
              {"engine", engine},
              {"program", line->program}}};
  if (d.labels.size() < kMostMarks) mark(d, c.around.image, {kHere, {{"program", line->program}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"engine", engine}}};
  d.subject = found.front().name;
  complaint.proposals.push_back(std::move(move));
  return {complaint};
}

}  // namespace

extern const Rule docker_flag_after_image{
    .code = "SX1121",
    .name = "docker-flag-after-image",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
