// Small sentences and look-ups of the command-line rules.
#include "rules/command/flag_words.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kVersionTaken{"version {version}: assumed, the newest one known",
                             "版本 {version}：未指定，按已知最新版本处理"};
constexpr Text kWriteInFile{"write {better} in {file}", "在 {file} 中改写为 {better}"};
constexpr Text kChangeInFile{"it stands in {file} and has to be changed there",
                             "它写在 {file} 里，需要在那里修改"};

// Longer values are cut in a sentence; the excerpt shows them whole.
constexpr std::size_t kShownBytes = 32;

}  // namespace

bool newer_than_read(const ServeSpec& serve) {
  const EngineFlags* flags = engine_flags(serve.engine);
  return flags != nullptr && flags->newest() < serve.version;
}

bool build_is_a_guess(const ServeSpec& serve) {
  return serve.version_origin == Origin::Default &&
         trait(serve.engine, "builds-in-use", serve.version) == "many";
}

void say_version(Diagnostic& d, const ServeSpec& serve) {
  if (serve.version_origin != Origin::Default) return;
  d.basis.push_back({kVersionTaken, {{"version", serve.version.text()}}});
}

const FlagUse* use_of(const ServeSpec& serve, const FlagProblem& problem) {
  const auto found = std::ranges::find_if(serve.flags, [&problem](const FlagUse& use) {
    return use.span.source == problem.span.source && use.span.begin == problem.span.begin &&
           use.first_word == problem.first_word && use.typed == problem.typed;
  });
  return found == serve.flags.end() ? nullptr : &*found;
}

const FlagUse* list_with_model(const Case& c) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const bool lacking = !c.serve.model.known() || c.serve.model.origin() == Origin::Default;
  if (flags == nullptr || !lacking || c.serve.model_word > 0) return nullptr;
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags->find(use.name);
    if (row == nullptr || row->kind != FlagKind::List || use.values.size() < 2 ||
        use.word_count == 0)
      continue;
    const std::string& word = use.values.back();
    if (word.find('/') != std::string::npos && word.find('=') == std::string::npos) return &use;
  }
  return nullptr;
}

std::string with_path(std::string name, const FlagUse& use) {
  if (use.path) name += '.' + *use.path;
  return use.append ? name + '+' : name;
}

std::string shown(std::string_view flag, std::string_view value) {
  if (names_secret(flag)) return "…";
  if (value.size() <= kShownBytes) return valid_utf8(value);
  std::size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  return valid_utf8(value.substr(0, end)) + "…";
}

std::string quoted_back(std::string_view typed, const std::string& value) {
  std::string out(typed);
  return value.empty() ? out : out + ' ' + shown(typed, value);
}

Message mend_in_file(const Case& c, const Span& span, const std::string& better) {
  return {kWriteInFile, {{"better", better}, {"file", c.sources->at(span.source).name}}};
}

Message mend_in_file(const Case& c, const Span& span) {
  return {kChangeInFile, {{"file", c.sources->at(span.source).name}}};
}

}  // namespace sx::rules
