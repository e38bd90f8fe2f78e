// The launch in the words of the nearest engine that is checked in depth: what has a counterpart
// is carried over, what has none is named.
#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "engines/other/other.h"
#include "engines/plain_launch.h"
#include "knowledge/flags.h"
#include "knowledge/tables.h"

namespace sx::other {
namespace {

constexpr std::size_t kMostWords = 512;  // of a translation; a longer launch is no usual one

class Translator {
 public:
  Translator(const OtherEngine& row, const Command& command)
      : engine_(row), command_(command), flags_(engine_flags(row.nearest)) {}

  std::optional<Translation> run(const std::vector<Use>& uses) {
    for (const Use& use : uses) take(use);
    for (const Use& use : uses) count(use);
    if (model_.empty() || flags_ == nullptr) return {};
    Translation made{.engine = engine_.nearest, .words = {}, .left_out = std::move(left_out_)};
    choose_gpus(made.words);
    std::ranges::move(plain_launch(engine_.nearest, model_), std::back_inserter(made.words));
    for (const auto& [name, values] : flags_said_) {
      made.words.push_back(name);
      made.words.insert(made.words.end(), values.begin(), values.end());
    }
    return made.words.size() > kMostWords ? std::nullopt : std::optional(std::move(made));
  }

 private:
  void choose_gpus(std::vector<std::string>& words) const {
    for (const Setting& setting : command_.environment) {
      if (setting.name != "CUDA_VISIBLE_DEVICES" || !setting.complete) continue;
      words = {"env", setting.name + '=' + setting.value};
    }
  }

  void take(const Use& use) {
    if (use.flag == nullptr) return take_unknown(use);
    if (!use.complete) return leave(use);
    if (use.flag->means == "model") {
      if (!use.values.empty()) model_ = use.values.front();
      return;
    }
    if (use.flag->means.empty()) return leave(use);
    if (use.flag->takes == OtherFlag::Takes::Address || use.flag->takes == OtherFlag::Takes::Count)
      return;
    // Set by an image for its own port, not by who launches.
    if (use.variable && use.span.source < 0 && use.flag->means == "--port") return;
    if (use.flag->takes == OtherFlag::Takes::Switch) {
      const bool off = !use.values.empty() && lower(use.values.front()) == "false";
      if (!off) say(std::string(use.flag->means), {});
      return;
    }
    if (use.values.empty()) return;
    if (use.variable && is_switch(use.flag->means)) return say(std::string(use.flag->means), {});
    take_value(use);
  }

  void count(const Use& use) {
    if (use.flag == nullptr || use.flag->takes != OtherFlag::Takes::Count || !use.complete) return;
    const bool there = std::ranges::any_of(
        flags_said_, [&use](const auto& said) { return said.first == use.flag->means; });
    const auto many = split(use.values.front(), ',').size();
    if (!there && many > 1) say(std::string(use.flag->means), {std::to_string(many)});
  }

  bool is_switch(std::string_view name) const {
    const FlagRow* row = flags_ == nullptr ? nullptr : flags_->find(name);
    return row != nullptr && row->kind == FlagKind::Switch;
  }

  void take_value(const Use& use) {
    const auto& values = use.flag->values;
    if (values.empty()) return say(std::string(use.flag->means), {use.values.front()});
    const auto mapped = std::ranges::find_if(
        values, [&use](const auto& pair) { return pair.first == use.values.front(); });
    if (mapped == values.end()) return leave(use);
    if (!is_none(mapped->second)) say(std::string(use.flag->means), {std::string(mapped->second)});
  }

  // Of a fork, a flag that the table does not have is the other engine's own.
  void take_unknown(const Use& use) {
    const bool flag = use.typed.starts_with('-');
    if (!engine_.same_flags || !flag || flags_ == nullptr || flags_->find(use.name) == nullptr)
      return leave(use);
    say(use.name, is_switch(use.name) ? std::vector<std::string>{} : use.values);
  }

  // Said twice, the later one counts.
  void say(std::string name, std::vector<std::string> values) {
    std::erase_if(flags_said_, [&name](const auto& said) { return said.first == name; });
    flags_said_.emplace_back(std::move(name), std::move(values));
  }

  void leave(const Use& use) {
    constexpr std::size_t kMostNamed = 12;  // the rest of a long list tells no more
    const std::string& name = use.typed;
    const bool named = std::ranges::find(left_out_, name) != left_out_.end();
    if (!named && left_out_.size() < kMostNamed) left_out_.push_back(name);
  }

  const OtherEngine& engine_;
  const Command& command_;
  const EngineFlags* flags_;
  std::string model_;
  std::vector<std::pair<std::string, std::vector<std::string>>> flags_said_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::optional<Translation> translate(const Command& command) {
  const auto launch = find_launch(command.words);
  if (!launch || launch->engine->nearest.empty()) return {};
  return Translator(*launch->engine, command).run(uses_of(command, *launch));
}

}  // namespace sx::other
