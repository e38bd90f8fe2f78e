// The words behind the program as flags with values, as far as the table knows them; a word behind
// an unknown flag is its value unless it is a flag itself.
#include <algorithm>

#include "base/strings.h"
#include "engines/other/other.h"
#include "knowledge/flags.h"

namespace sx::other {
namespace {

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !(word[1] >= '0' && word[1] <= '9') &&
         word[1] != '.';
}

class Reader {
 public:
  Reader(const Command& command, const Launch& launch) : command_(command), launch_(launch) {}

  std::vector<Use> uses() {
    variables();
    for (at_ = launch_.arguments; at_ < command_.words.size();) word();
    return std::move(uses_);
  }

 private:
  // Variables stand first: flags that say the same win.
  void variables() {
    for (const Setting& setting : command_.environment) {
      const OtherFlag* flag = find_other_flag(launch_.engine->id, setting.name);
      if (flag == nullptr || flag->takes == OtherFlag::Takes::First) continue;
      uses_.push_back({.flag = flag,
                       .name = setting.name,
                       .typed = setting.name,
                       .values = {setting.value},
                       .name_span = setting.span,
                       .span = setting.span,
                       .variable = true,
                       .complete = setting.complete});
    }
  }

  void word() {
    const std::string& text = command_.words[at_].text;
    if (is_flag(text)) return flag();
    Use use{.flag = first_free_word(),
            .name = text,
            .typed = text,
            .values = {text},
            .name_span = command_.words[at_].span,
            .span = command_.words[at_].span,
            .first_word = at_,
            .word_count = 1,
            .complete = command_.words[at_].complete};
    if (use.flag != nullptr) use.name = use.flag->names.front();
    const bool rest = use.flag != nullptr && use.flag->takes == OtherFlag::Takes::Rest;
    uses_.push_back(std::move(use));
    at_ = rest ? command_.words.size() : at_ + 1;
  }

  const OtherFlag* first_free_word() {
    for (const OtherFlag& flag : other_flags(launch_.engine->id)) {
      if (flag.takes == OtherFlag::Takes::Rest) return &flag;
      if (flag.takes != OtherFlag::Takes::First) continue;
      const bool taken =
          std::ranges::any_of(uses_, [&flag](const Use& use) { return use.flag == &flag; });
      return taken ? nullptr : &flag;
    }
    return nullptr;
  }

  void flag() {
    const Word& word = command_.words[at_];
    const auto equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    const OtherFlag* known = find_other_flag(launch_.engine->id, name);
    Use use{.flag = known,
            .name = known != nullptr ? std::string(long_name(*known, name)) : name,
            .typed = name,
            .values = {},
            .name_span = word.span,
            .span = word.span,
            .first_word = at_,
            .word_count = 1,
            .complete = word.complete};
    if (equals != std::string::npos) {
      use.values.push_back(word.text.substr(equals + 1));
    } else {
      for (std::size_t most = values_of(known, name); use.values.size() < most;) {
        const std::size_t next = at_ + use.word_count;
        if (next >= command_.words.size() || is_flag(command_.words[next].text)) break;
        use.values.push_back(command_.words[next].text);
        use.complete = use.complete && command_.words[next].complete;
        if (command_.words[next].span.source == use.span.source)
          use.span.end = command_.words[next].span.end;
        ++use.word_count;
      }
    }
    at_ += use.word_count;
    uses_.push_back(std::move(use));
  }

  static std::string_view long_name(const OtherFlag& flag, std::string_view typed) {
    for (const auto name : flag.names) {
      if (name.starts_with("--")) return name;
    }
    return typed;
  }

  std::size_t values_of(const OtherFlag* flag, std::string_view name) const {
    constexpr std::size_t kMostValues = 256;  // of a list of keys or shares
    if (flag == nullptr) return unknown_switch(name) ? 0 : 1;
    if (flag->takes == OtherFlag::Takes::Switch) return 0;
    return flag->takes == OtherFlag::Takes::Words ? kMostValues : 1;
  }

  // A fork's flags are those of the engine that it came from.
  bool unknown_switch(std::string_view name) const {
    const EngineFlags* flags =
        launch_.engine->same_flags ? engine_flags(launch_.engine->nearest) : nullptr;
    const FlagRow* row = flags == nullptr ? nullptr : flags->find(name);
    return row != nullptr && row->kind == FlagKind::Switch;
  }

  const Command& command_;
  const Launch& launch_;
  std::size_t at_ = 0;
  std::vector<Use> uses_;
};

}  // namespace

std::vector<Use> uses_of(const Command& command, const Launch& launch) {
  return Reader(command, launch).uses();
}

}  // namespace sx::other
