// What the settings of one model say together: what it runs, and which of them say nothing then.
#include <algorithm>

#include "base/strings.h"
#include "run/command_template.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;
using Setting = DeploymentFile::Setting;

constexpr Text kNoUse{"{key} says nothing for a command", "对命令而言 {key} 不起作用"};
constexpr Text kCommandHere{"this model runs a command", "该模型直接运行命令"};
constexpr Text kNoModel{"it says nothing to run", "没有写要运行什么"};
constexpr Text kEither{"model.id or model.command is wanted", "需要 model.id 或 model.command"};
constexpr Text kBoth{"model.id and model.command stand both there",
                     "model.id 与 model.command 同时出现"};
constexpr Text kTakesTheModel{"a command for it says where it goes: {place}",
                              "给它用的命令要写明它的位置：{place}"};
constexpr Text kNameless{"the command asks for a model, and none is named",
                         "命令要用模型名，而没有写模型"};
constexpr Text kNameIt{"model.id is what {place} stands for", "{place} 代表的就是 model.id"};
constexpr Text kNotAPlace{"{place} stands for nothing", "{place} 不代表任何内容"};
constexpr Text kPlaces{"what a command may have: {places}", "命令中可用的有：{places}"};
constexpr Text kClosest{"did you mean {closest}?", "是否想写 {closest}？"};
constexpr Text kManyPlaces{"the command has more than {most} places in braces",
                           "命令中的花括号占位超过 {most} 处"};
constexpr Text kOnceEach{"a launch needs each of them once", "启动命令里每种占位写一次就够了"};
constexpr Text kDashed{"model.id begins with a dash", "model.id 以连字符开头"};
constexpr Text kAsFlag{"programs would read it as a flag; with ./ in front it is a path",
                       "程序会把它当作选项；前面加上 ./ 就是路径"};
constexpr Text kNoImage{"{key} says nothing without model.image",
                        "没有 model.image 时 {key} 不起作用"};
constexpr Text kWeights{"{count} weights for {replicas} replicas",
                        "{replicas} 个副本却有 {count} 个权重"};
constexpr Text kOneOrEach{"one for all of them, or one for each",
                          "写一个供所有副本共用，或每个副本各写一个"};
constexpr Text kAllAlike{"several weights for replicas that are planned",
                         "由方案产生的副本却写了多个权重"};
constexpr Text kOneWeight{"they are all alike, and one weight holds for all",
                          "这些副本都一样，写一个权重即可"};
constexpr Text kNotInside{"model.venv says nothing for a container",
                          "对容器而言 model.venv 不起作用"};
constexpr Text kImageHas{"the image has the engine in it", "引擎在镜像里"};
constexpr Text kNoContainer{"it does not run in a container", "它不在容器中运行"};

// More than a launch has use for. What stands around each is read from the text's beginning.
constexpr std::size_t kMostPlaces = 64;

std::string in_braces(std::string_view name) { return '{' + std::string(name) + '}'; }

class Model {
 public:
  Model(const DeploymentFile& file, int model, const TomlValue& table)
      : file_(file), model_(model), table_(table) {}

  std::vector<FileFault> faults() {
    what_runs();
    places();
    weights();
    for (const std::string_view of_container : kKeysOfContainer) {
      const auto* setting = written(of_container);
      if (setting != nullptr && written("model.image") == nullptr)
        add({kNoImage, {{"key", of_container}}}, setting->span, {kNoContainer});
    }
    const auto* options = table_.find("container_options");
    if (options != nullptr && written("model.image") != nullptr) {
      const ImageSettings& image = file_.models[static_cast<std::size_t>(model_)].image;
      for (FileFault& fault : faults_of_container_options(image, options->value))
        faults_.push_back(std::move(fault));
    }
    if (const auto* venv = written("model.venv"); venv && written("model.image"))
      add({kNotInside}, venv->span, {kImageHas});
    return std::move(faults_);
  }

 private:
  const Setting* written(std::string_view key) const {
    const auto found = std::ranges::find_if(file_.settings, [&](const Setting& setting) {
      return setting.key == key && setting.model == model_;
    });
    return found == file_.settings.end() ? nullptr : &*found;
  }

  void add(Message title, Span span, Message label) {
    faults_.push_back({.title = std::move(title),
                       .labels = {{.span = span, .text = std::move(label), .primary = true}}});
  }

  void what_runs() {
    const auto* id = written("model.id");
    const auto* command = written("model.command");
    const auto& words = file_.models[static_cast<std::size_t>(model_)].command;
    if (id == nullptr && command == nullptr) add({kNoModel}, table_.span, {kEither});
    if (id != nullptr && file_.models[static_cast<std::size_t>(model_)].id.starts_with('-'))
      add({kDashed}, id->span, {kAsFlag});
    if (command == nullptr) return;
    const bool takes_model = asks_for(words, "model");
    if (id != nullptr && !takes_model)
      add({kBoth}, command->span, {kTakesTheModel, {{"place", "{model}"}}});
    if (id == nullptr && takes_model)
      add({kNameless}, command->span, {kNameIt, {{"place", "{model}"}}});
    for (const std::string_view of_plan : kKeysOfPlan) {
      if (const auto* setting = written(of_plan))
        add({kNoUse, {{"key", of_plan}}}, setting->span, {kCommandHere});
    }
  }

  void weights() {
    const ModelSettings& model = file_.models[static_cast<std::size_t>(model_)];
    const auto* setting = written("model.weight");
    if (setting == nullptr || model.weights.size() <= 1) return;
    if (model.command.empty()) {
      add({kAllAlike}, setting->span, {kOneWeight});
    } else if (std::ssize(model.weights) != model.replicas) {
      const Message title{kWeights,
                          {{"count", model.weights.size()}, {"replicas", model.replicas}}};
      add(title, setting->span, {kOneOrEach});
    }
  }

  // "{modle}" would reach the engine as it is.
  void places() {
    const auto* entry = table_.find("command");
    if (entry == nullptr) return;
    std::vector<const TomlValue*> words{&entry->value};
    if (entry->value.kind == Kind::Array) words.clear();
    for (const TomlValue& item : entry->value.items) words.push_back(&item);
    std::size_t count = 0;
    for (const TomlValue* word : words) {
      const auto found = placeholders_in(word->text);
      count += found.size();
      if (count > kMostPlaces)
        return add({kManyPlaces, {{"most", kMostPlaces}}}, word->span, {kOnceEach});
      for (const Placeholder& place : found) look_at(place, word->span);
    }
  }

  void look_at(const Placeholder& place, Span span) {
    const auto& names = template_names();
    if (std::ranges::find(names, place.name) != names.end()) return;
    const auto near = closest(place.name, names, 1);
    std::string all;
    for (const auto name : names) all += (all.empty() ? "" : " ") + in_braces(name);
    const Message label = near.empty() ? Message{kPlaces, {{"places", all}}}
                                       : Message{kClosest, {{"closest", in_braces(near.front())}}};
    add({kNotAPlace, {{"place", in_braces(place.name)}}}, span, label);
  }

  const DeploymentFile& file_;
  int model_ = 0;
  const TomlValue& table_;
  std::vector<FileFault> faults_;
};

}  // namespace

std::vector<FileFault> faults_of_model(const DeploymentFile& file, int model,
                                       const TomlValue& table) {
  return Model(file, model, table).faults();
}

}  // namespace sx
