// Reads the commands, keeps the launches, and asks their engine what they mean.
#include "gather/gather_command.h"

#include <algorithm>

#include "base/strings.h"
#include "gather/command_text.h"
#include "knowledge/flags.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr Bytes kConfigLimit = mib(8);    // of a file that --config names
constexpr std::size_t kNamesShown = 6;    // programs named when none of them is a launch

struct Recognised {
  const Engine* engine = nullptr;
  std::size_t first_word = 0;
};

std::optional<Recognised> recognise(const Command& command) {
  for (const Engine* engine : all_engines()) {
    const auto first = engine->recognises(command.words);
    if (first && *first < command.words.size()) return Recognised{engine, *first};
  }
  return {};
}

// Wrappers that are on no list stand in front as well.
void start_at(Command& command, std::size_t first) {
  const auto end = command.words.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto word = command.words.begin(); word != end; ++word) command.before.push_back(word->text);
  command.words.erase(command.words.begin(), end);
}

std::string known_engines() {
  std::vector<std::string> names;
  for (const Engine* engine : all_engines()) names.emplace_back(engine->name);
  return join(names, ", ");
}

Error no_launch(const std::vector<Command>& commands, const std::string& name) {
  std::vector<std::string> found;
  bool more = false;
  for (const auto& command : commands) {
    if (command.words.empty()) continue;
    const std::string program = valid_utf8_front(program_name(command.words[0].text));
    if (std::ranges::find(found, program) != found.end()) continue;
    more = found.size() == kNamesShown;
    if (more) break;
    found.push_back(program);
  }
  if (found.empty()) return {Error::Kind::Usage, "there is no command in " + (name.empty() ? "the command line" : name)};
  if (name.empty()) {
    return {Error::Kind::Usage, "not a launch of an engine this program knows: '" + found.front() +
                                    "' (known: " + known_engines() + ")"};
  }
  return {Error::Kind::Usage, "no launch of " + known_engines() + " in " + name +
                                  "; the commands there are: " + join(found, ", ") + (more ? ", …" : "")};
}

struct ChosenVersion {
  Version version;
  Origin origin = Origin::Default;
};

std::optional<ChosenVersion> choose_version(const Engine& engine, const Command& command,
                                            const std::optional<Version>& asked, const Outside& outside) {
  if (asked) return ChosenVersion{*asked, Origin::Flag};
  if (const auto installed = installed_version(engine.name, command, outside)) {
    return ChosenVersion{*installed, Origin::Environment};
  }
  const EngineFlags* flags = engine_flags(engine.name);
  if (flags == nullptr || flags->read.empty()) return {};
  return ChosenVersion{flags->newest(), Origin::Default};
}

// `--config FILE` of the launch: read once, relative to the current folder.
std::optional<int> read_spliced(Sources& sources, std::string_view path, const Outside& outside) {
  const auto at = path_in(outside.folder, path);
  for (std::size_t i = 0; i < sources.all().size(); ++i) {
    const Source& source = sources.all()[i];
    if (source.kind == SourceKind::File && source.uri == at) return static_cast<int>(i);
  }
  auto text = outside.files->read(at, kConfigLimit);
  if (!text) return {};
  return sources.add({.kind = SourceKind::File, .name = std::string(path), .uri = at, .text = std::move(*text)});
}

Result<std::optional<Version>> asked_version(const CommandAsk& ask) {
  if (!ask.engine_version) return std::optional<Version>{};
  const auto version = parse_version(*ask.engine_version);
  if (!version) {
    return fail(Error::Kind::Usage, "--engine-version '" + *ask.engine_version + "' is not a version such as 0.8.5");
  }
  return version;
}

Result<Launch> launch_of(Sources& sources, Command command, const Recognised& recognised,
                         const std::optional<Version>& asked, const Outside& outside) {
  start_at(command, recognised.first_word);
  const Engine& engine = *recognised.engine;
  const auto chosen = choose_version(engine, command, asked, outside);
  if (!chosen) {
    return fail(Error::Kind::Unsupported, "no flag tables for " + std::string(engine.name));
  }
  const SplicedFile spliced = [&](std::string_view path) { return read_spliced(sources, path, outside); };
  Launch launch{.command = std::move(command), .engine = &engine};
  launch.serve = engine.understand(launch.command, chosen->version, sources, spliced);
  launch.serve.version_origin = chosen->origin;
  return launch;
}

}  // namespace

Result<GatheredCommands> gather_commands(Sources& sources, const CommandAsk& ask, const Outside& outside) {
  SX_TRY(const auto asked, asked_version(ask));
  SX_TRY(auto read, read_commands(sources, ask, outside));
  GatheredCommands gathered{.notes = std::move(read.notes)};
  for (auto& command : read.commands) {
    const auto recognised = recognise(command);
    if (!recognised) continue;
    // The rest of the list is needed for the error only, so the command may move.
    SX_TRY(auto launch, launch_of(sources, std::move(command), *recognised, asked, outside));
    gathered.launches.push_back(std::move(launch));
  }
  if (gathered.launches.empty()) return std::unexpected(no_launch(read.commands, read.name));
  return gathered;
}

}  // namespace sx
