// A rule's page as people read it: its prose, and one launch with what is said of it.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/embedded.h"
#include "rules/all.h"
#include "rules/rule_page.h"

namespace sx {
namespace {

constexpr Text kExample{"An example:", "示例："};

// A scene of the page: blocks in their order, by what stands behind the fence.
struct Scene {
  std::vector<std::pair<std::string_view, std::string>> blocks;

  const std::string* find(std::string_view info) const {
    const auto found = std::ranges::find(blocks, info, &decltype(blocks)::value_type::first);
    return found == blocks.end() ? nullptr : &found->second;
  }
};

// What stands in front of the first scene.
std::string prose_of(std::string_view page) {
  std::string out;
  for (const std::string_view line : lines_of(page)) {
    if (line.starts_with("## ")) break;
    out.append(line).append("\n");
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::vector<Scene> scenes_of(std::string_view page) {
  std::vector<Scene> scenes;
  bool inside = false;  // a block
  for (const std::string_view line : lines_of(page)) {
    if (!inside && line.starts_with("## ")) {
      scenes.emplace_back();
    } else if (!scenes.empty() && line.starts_with("```")) {
      inside = !inside;
      if (inside) scenes.back().blocks.emplace_back(line.substr(3), "");
    } else if (inside && !scenes.empty()) {
      scenes.back().blocks.back().second.append(line).append("\n");
    }
  }
  return scenes;
}

bool is_launch_file(std::string_view info) {
  return !info.contains('/') && !info.contains(' ') &&
         (info.ends_with(".sh") || info.ends_with(".yaml") || info.ends_with(".yml") ||
          info.ends_with(".service") || info.ends_with(".container"));
}

// The question of a scene as it would be typed; empty: it has none.
std::string question_of(const Scene& scene) {
  std::string asked = "sextant check";
  const std::string* machine = scene.find("machine");
  constexpr std::string_view kOn = "on: ";
  if (machine != nullptr && machine->starts_with(kOn))
    asked.append(" --on ").append(trimmed(machine->substr(kOn.size(), machine->find('\n') - 4)));
  if (const std::string* options = scene.find("options"))
    asked.append(" ").append(trimmed(*options));
  if (const std::string* command = scene.find("command"))
    return asked.append(" -- ").append(trimmed(*command));
  for (const auto& [info, text] : scene.blocks) {
    if (is_launch_file(info)) return asked.append(" -f ").append(info);
  }
  return {};
}

// The shortest scene in which the rule speaks: what is asked, and what is said.
std::string example_of(std::string_view page, Language language) {
  std::string best;
  for (const Scene& scene : scenes_of(page)) {
    const std::string* said = scene.find(language == Language::Chinese ? "expect zh" : "expect");
    const bool speaks =
        said != nullptr && said->contains("[SX") && !said->starts_with("not checked");
    const std::string asked = question_of(scene);
    if (!speaks || asked.empty()) continue;
    std::string example = "    $ " + asked + "\n\n" + *said;
    if (best.empty() || example.size() < best.size()) best = std::move(example);
  }
  return best;
}

std::string_view page_named(const std::string& name) {
  for (const Embedded& file : embedded_files()) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

std::string for_people(const Rule& rule, Language language) {
  std::string out = prose_of(page_named(rules::page_name(rule, language)));
  // The scenes stand on the English page, with what is said in both languages.
  const std::string_view scenes = page_named(rules::page_name(rule, Language::English));
  const std::string example = example_of(scenes, language);
  if (!example.empty())
    out.append("\n").append(kExample.in(language)).append("\n\n").append(example);
  return out;
}

}  // namespace

std::vector<Explained> explain_rule(std::string_view word, Language language) {
  const Rule* rule = rules::find(word);
  if (rule == nullptr) return {};
  auto scenes = scenes_of_rule(rule->name);
  return {{.kind = "rule",
           .name = std::string(rule->code),
           .text = for_people(*rule, language) + constraints_of_rule(rule->name, language) +
                   symptoms_of_rule(rule->name, language) + lines_of_rule(rule->name, language) +
                   scenes_text(scenes, language),
           .scenes = std::move(scenes)}};
}

}  // namespace sx
