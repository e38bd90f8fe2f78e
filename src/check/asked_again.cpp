// The same question with a changed command: read anew by its engine, with the same model, machine
// and sources.
#include <algorithm>
#include <string_view>

#include "check/run_rules.h"
#include "engines/engine.h"
#include "facts/around_again.h"
#include "facts/changed_command.h"
#include "knowledge/flags.h"

namespace sx {
namespace {

// A file that the command splices in was read when the command was gathered: it is among the
// sources.
std::optional<int> already_read(const Sources& sources, std::string_view path) {
  for (std::size_t i = 0; i < sources.all().size(); ++i) {
    const Source& source = sources.all()[i];
    if (source.kind == SourceKind::File && (source.name == path || source.uri == path))
      return static_cast<int>(i);
  }
  return {};
}

// The engine of a changed command: its own, unless the change replaced a program that no adapter
// knows by one that an adapter does.
const Engine* engine_of(const Engine& before, std::span<const Word> words) {
  if (before.recognises(words)) return &before;
  if (find_engine(before.name) == &before) return nullptr;
  for (const Engine* engine : all_engines()) {
    if (engine->recognises(words)) return engine;
  }
  return nullptr;
}

Version version_for(const Engine& engine, const Engine& before, const Version& version) {
  if (&engine == &before) return version;
  const EngineFlags* flags = engine_flags(engine.name);
  return flags == nullptr || flags->read.empty() ? Version{} : flags->read.back();
}

}  // namespace

std::optional<Case> asked_again(const Case& c, std::span<const Change> changes) {
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr) return {};
  Case again = c;
  again.asked_again = true;
  auto changed = changed_command(c.command, c.serve, changes);
  if (!changed) return {};
  again.command = *std::move(changed);
  const Engine* other = engine_of(*engine, again.command.words);
  if (other == nullptr) return {};
  again.serve =
      other->understand(again.command, version_for(*other, *engine, c.serve.version), *c.sources,
                        [&c](std::string_view path) { return already_read(*c.sources, path); });
  again.serve.version_origin = c.serve.version_origin;
  const bool other_model = again.serve.model.known() && c.serve.model.known() &&
                           again.serve.model.value() != c.serve.model.value();
  if (other_model) {
    again.model_spec = c.find_model ? c.find_model(again.serve.model.value()) : nullptr;
    if (again.model_spec == nullptr) return {};
  }
  const bool other_container = std::ranges::any_of(changes, changes_front);
  if (other_container) look_around_again(again);
  again.visible = visible_devices(again.serve, again.host());
  again.all_launches = nullptr;
  return again;
}

}  // namespace sx
