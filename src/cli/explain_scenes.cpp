// The scenes of a cause as people read them: a log, and what `sextant diagnose` answers to it.
#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/causes.h"
#include "knowledge/scenes.h"

namespace sx {
namespace {

constexpr Text kHeading{"\n## Logs, and what sextant diagnose answers\n",
                        "\n## 日志示例，以及 sextant diagnose 的回答\n"};
constexpr Text kLine{"answer: {cause} ({how}), line {line}: {title}",
                     "回答：{cause}（{how}），第 {line} 行：{title}"};
constexpr Text kLineOfFile{"answer: {cause} ({how}), {file}:{line}: {title}",
                           "回答：{cause}（{how}），{file}:{line}：{title}"};
constexpr Text kNothing{"answer: no cause", "回答：没有根因"};
constexpr Text kCertain{"certain", "确定"};
constexpr Text kLikely{"likely", "很可能"};
constexpr Text kPossible{"possible", "有可能"};

const Text& how(std::string_view confidence) {
  if (confidence == "certain") return kCertain;
  return confidence == "likely" ? kLikely : kPossible;
}

std::string answer_of(const CauseScene& scene, Language language) {
  const SceneAnswer& answer = scene.answer;
  if (answer.cause.empty()) return std::string(kNothing.in(language));
  const CauseRow* row = find_cause(answer.cause);
  const std::string title = row == nullptr ? "" : in_language(row->title, language);
  const Message said{scene.logs.size() > 1 ? kLineOfFile : kLine,
                     {{"cause", answer.cause},
                      {"how", how(answer.confidence)},
                      {"file", answer.log},
                      {"line", answer.line},
                      {"title", title}}};
  return rendered(said, language);
}

}  // namespace

std::string scenes_text(std::span<const CauseScene> scenes, Language language) {
  if (scenes.empty()) return "";
  std::string out(kHeading.in(language));
  for (const CauseScene& scene : scenes) {
    out.append("\n### ").append(in_language(scene.heading, language)).append("\n\n");
    if (!scene.command.empty()) out.append("    $ ").append(scene.command).append("\n\n");
    for (const SceneLog& log : scene.logs) {
      if (scene.logs.size() > 1) out.append(log.name).append(":\n\n");
      for (const std::string_view line : lines_of(log.text))
        out.append(line.empty() ? "" : "    ").append(line).append("\n");
      out.append("\n");
    }
    out.append(answer_of(scene, language)).append("\n");
  }
  return out;
}

std::vector<CauseScene> scenes_of_rule(std::string_view rule) {
  const CauseRow* row = find_cause(rule);
  return row == nullptr ? std::vector<CauseScene>{} : scenes_of_cause(*row);
}

}  // namespace sx
