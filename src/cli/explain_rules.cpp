// A rule's page as people read it: its prose, and the launches it speaks of.
#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/embedded.h"
#include "rules/all.h"

namespace sx {
namespace {

// A scene: from its heading to the next one.
struct Scene {
  std::string heading;
  std::string blocks;  // what a reader needs to see the launch: machine, files, command
  bool speaks = false;
};

// What of a block is shown: the tests' expectations are not, and an empty one says that the rule is
// silent there.
class SceneReader {
 public:
  void line(std::string_view text) {
    if (expecting_) {
      expecting_ = !text.starts_with("```");
      scene_.speaks = scene_.speaks ||
                      (expecting_ && !trimmed(text).empty() && !text.starts_with("not checked"));
      return;
    }
    if (text.starts_with("```expect")) {
      expecting_ = true;
      if (scene_.blocks.ends_with("\n\n")) scene_.blocks.pop_back();
      return;
    }
    scene_.blocks += text;
    scene_.blocks += '\n';
  }
  void begin(std::string_view heading) { scene_ = {.heading = std::string(heading), .blocks = {}}; }
  const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  bool expecting_ = false;
};

std::string for_people(std::string_view page) {
  std::string out;
  std::string scenes;
  SceneReader reader;
  bool in_scene = false;
  const auto end_scene = [&] {
    if (in_scene && reader.scene().speaks)
      scenes += reader.scene().heading + '\n' + reader.scene().blocks;
  };
  for (const std::string_view line : lines_of(page)) {
    if (line.starts_with("## ")) {
      end_scene();
      in_scene = true;
      reader.begin(line);
    } else if (in_scene) {
      reader.line(line);
    } else {
      out += line;
      out += '\n';
    }
  }
  end_scene();
  out += scenes;
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace

std::vector<Explained> explain_rule(std::string_view word, Language language) {
  const Rule* rule = rules::find(word);
  if (rule == nullptr) return {};
  const std::string name = rules::page_name(*rule, language);
  for (const Embedded& file : embedded_files()) {
    if (file.name != name) continue;
    return {{"rule", std::string(rule->code),
             for_people(file.bytes) + constraints_of_rule(rule->name, language) +
                 symptoms_of_rule(rule->name, language)}};
  }
  return {};
}

}  // namespace sx
