// Reads the commands, keeps the launches, and asks their engine what they mean.
#include "gather/gather_command.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "diag/listed.h"
#include "engines/other/other.h"
#include "engines/python_command.h"
#include "gather/command_text.h"
#include "gather/docker_env_file.h"
#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/images.h"
#include "read/command_front.h"
#include "read/shell_call.h"

namespace sx {
namespace {

constexpr Bytes kConfigLimit = mib(8);  // of a file that --config names
constexpr std::size_t kMostWords =
    2048;  // of a launch: every fix is tried by reading all of them again
constexpr std::size_t kMostLaunches = 64;  // each is a whole check; real scripts start a handful
constexpr std::size_t kNamesShown = 6;     // programs named when none of them is a launch

constexpr Text kCommandLine{"the command line", "命令行"};
constexpr Text kStandardInput{"standard input", "标准输入"};
constexpr Text kEmpty{"there is no command in {place}", "{place}中没有命令"};
constexpr Text kNoLaunch{
    "not a launch of an engine this program knows: '{program}' (known: {engines})",
    "'{program}' 不是本程序认识的引擎启动命令（认识的引擎：{engines}）"};
constexpr Text kNearest{
    "not a launch of an engine this program knows: '{program}'; the nearest is {nearest}",
    "'{program}' 不是本程序认识的引擎启动命令；最接近的是 {nearest}"};
constexpr Text kServesNothing{
    "'{program}' belongs to {engine} and serves no clients; its server is {server}",
    "'{program}' 属于 {engine}，但不提供服务；它的服务程序是 {server}"};
constexpr Text kOtherWork{"'{words}' starts no server of {engine}; that is done with: {server}",
                          "'{words}' 不会启动 {engine} 的服务；启动服务用：{server}"};
constexpr Text kScript{
    "'{shell}' runs what stands in {file}, which is not read here; a file is read with: "
    "sextant check -f {file}",
    "'{shell}' 执行的是 {file} 的内容，这里不会读取；读取文件用：sextant check -f {file}"};
constexpr Text kNoLaunchIn{"no launch of {engines} in {place}; the commands there are: {programs}",
                           "{place}中没有 {engines} 的启动命令；其中的命令有：{programs}"};
constexpr Text kNoVersion{"--engine-version '{said}' is not a version such as 0.8.5",
                          "--engine-version '{said}' 不是 0.8.5 这样的版本"};
constexpr Text kTooManyWords{"the launch in line {line} has {count} words; at most {most} are read",
                             "第 {line} 行的启动命令有 {count} 个词；最多读取 {most} 个"};
constexpr Text kTooManyLaunches{
    "there are more than {most} launches in {place}; give them in several files",
    "{place}中的启动命令超过 {most} 个；需要分成几个文件"};
constexpr Text kNoTables{"no flag tables for {engine}", "没有 {engine} 的参数表"};

struct Recognised {
  const Engine* engine = nullptr;
  std::size_t first_word = 0;
};

std::optional<Recognised> recognise(const Command& command) {
  for (const Engine* engine : all_engines()) {
    const auto first = engine->recognises(command.words);
    if (first && *first < command.words.size()) return Recognised{engine, *first};
  }
  if (other::engine.recognises(command.words)) return Recognised{&other::engine, 0};
  return {};
}

// What loads no model by itself is answered only where nothing else is: beside a server it is
// the rest of the script.
bool stands_aside(const Launch& launch) {
  const OtherEngine* other = find_other_engine(launch.serve.engine);
  return other != nullptr && !other->serves();
}

// Wrappers that are on no list stand in front as well.
void start_at(Command& command, std::size_t first) {
  const auto end = command.words.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto word = command.words.begin(); word != end; ++word) {
    const bool in_line = !command.front.empty() && !command.one_word;
    const auto at = static_cast<std::size_t>(word - command.words.begin());
    if (in_line && at >= command.implied) {
      command.front.push_back(*word);
    } else {
      command.before.push_back(word->text);
    }
  }
  command.implied -= std::min(first, command.implied);
  command.words.erase(command.words.begin(), end);
}

Both known_engines() {
  std::vector<std::string> names;
  for (const Engine* engine : all_engines()) names.emplace_back(shown_engine(engine->name));
  return listed(names);
}

// "llama-serve": a slip in the name of a server's program.
std::optional<Error> mistyped(const std::string& program) {
  std::vector<std::string_view> servers;
  for (const Engine* engine : all_engines()) {
    const std::string_view first = engine->server.substr(0, engine->server.find(' '));
    if (!is_python(first)) servers.push_back(first);
  }
  const auto near = closest(program, servers, 1);
  if (near.empty() || near.front() == program) return {};
  return Error{Error::Kind::Usage,
               in_both({kNearest, {{"program", program}, {"nearest", near.front()}}})};
}

// In Chinese a file's name wants a blank behind it, a word does not.
Both place_named(const std::string& name) {
  if (name.empty()) return in_both(kCommandLine);
  if (name == kStandardInput.in(Language::English)) return in_both(kStandardInput);
  return {name, name + ' '};
}

// The program, of Python what it runs.
std::string program_shown(std::span<const Word> words) {
  const std::string_view program = program_name(words[0].text);
  std::string shown = valid_utf8_front(program);
  if (!is_python(words[0].text)) return shown;
  std::size_t at = behind_python_options(words, 1);
  if (at < words.size() && words[at].text == "-m") {
    shown += " -m";
    ++at;
  }
  return at < words.size() ? shown + ' ' + valid_utf8_front(words[at].text) : shown;
}

// What a reader would call the command: its program, of a container its image.
std::string shown_name(const PlacedCommand& placed) {
  if (placed.around.image.known()) return valid_utf8_front(placed.around.image.value());
  return program_shown(placed.command.words);
}

// `vllm bench`, `vllm server`: an engine's own program, asked for something else than to serve.
std::optional<Error> other_work(std::span<const Word> words) {
  if (words.empty()) return {};
  const std::string_view program = program_name(words[0].text);
  for (const Engine* engine : all_engines()) {
    if (engine->serves_nothing != nullptr ||
        engine->server.substr(0, engine->server.find(' ')) != program)
      continue;
    std::string said(program);
    if (words.size() > 1) said += ' ' + valid_utf8_front(words[1].text);
    return Error{Error::Kind::Usage, in_both({kOtherWork,
                                              {{"words", said},
                                               {"engine", shown_engine(engine->name)},
                                               {"server", engine->server}}})};
  }
  return {};
}

// `bash start.sh`.
std::optional<Error> runs_script(std::span<const Word> words) {
  if (words.empty() || !is_shell(words[0].text)) return {};
  const ShellCall call = shell_call(said_words(words));
  if (call.text || call.behind >= words.size()) return {};
  return Error{Error::Kind::Usage, in_both({kScript,
                                            {{"shell", valid_utf8_front(words[0].text)},
                                             {"file", valid_utf8(words[call.behind].text)}}})};
}

Error no_launch(const std::vector<PlacedCommand>& commands, const std::string& name) {
  std::vector<std::string> found;
  bool more = false;
  for (const auto& command : commands) {
    if (command.command.words.empty() && !command.around.image.known()) continue;
    const std::string program = shown_name(command);
    if (std::ranges::find(found, program) != found.end()) continue;
    more = found.size() == kNamesShown;
    if (more) break;
    found.push_back(program);
  }
  const Both place = place_named(name);
  if (found.empty()) return {Error::Kind::Usage, in_both({kEmpty, {{"place", place}}})};
  if (name.empty()) {
    if (auto slip = mistyped(found.front())) return *std::move(slip);
  }
  for (const Engine* engine : all_engines()) {
    if (engine->serves_nothing == nullptr || !engine->serves_nothing(found.front())) continue;
    return {Error::Kind::Usage, in_both({kServesNothing,
                                         {{"program", found.front()},
                                          {"engine", shown_engine(engine->name)},
                                          {"server", engine->server}}})};
  }
  if (found.size() == 1) {
    if (auto other = other_work(commands.front().command.words)) return *std::move(other);
  }
  if (name.empty()) {
    if (auto script = runs_script(commands.front().command.words)) return *std::move(script);
    return {Error::Kind::Usage,
            in_both({kNoLaunch, {{"program", found.front()}, {"engines", known_engines()}}})};
  }
  if (more) found.emplace_back("…");
  return {Error::Kind::Usage,
          in_both({kNoLaunchIn,
                   {{"engines", known_engines()}, {"place", place}, {"programs", listed(found)}}})};
}

struct ChosenVersion {
  Version version;
  Origin origin = Origin::Default;
};

// What is installed here says nothing about a container's image.
std::optional<ChosenVersion> choose_version(const Engine& engine, const PlacedCommand& placed,
                                            const std::optional<Version>& asked,
                                            const Outside& outside) {
  // Tables of the user's may leave an engine out.
  const bool is_other = &engine == &other::engine;
  const EngineFlags* flags = is_other ? nullptr : engine_flags(engine.name);
  if (!is_other && (flags == nullptr || flags->read.empty())) return {};
  if (asked) return ChosenVersion{*asked, Origin::Flag};
  const Command& command = placed.command;
  if (placed.around.image.known()) {
    const auto image = known_image(placed.around.image.value());
    if (image && image->engine == engine.name && image->version)
      return ChosenVersion{*image->version, Origin::Config};
  }
  if (placed.around.contained()) {
    // The newest that is known stands in.
  } else if (const auto installed = installed_version(engine.name, command, outside)) {
    return ChosenVersion{*installed, Origin::Environment};
  }
  if (is_other) return ChosenVersion{};
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
  return sources.add(
      {.kind = SourceKind::File, .name = std::string(path), .uri = at, .text = std::move(*text)});
}

Result<std::optional<Version>> asked_version(const CommandAsk& ask) {
  if (!ask.engine_version) return std::optional<Version>{};
  const auto version = parse_version(*ask.engine_version);
  if (!version) {
    return fail(Error::Kind::Usage, in_both({kNoVersion, {{"said", *ask.engine_version}}}));
  }
  return version;
}

Result<Launch> launch_of(Sources& sources, PlacedCommand placed, const Recognised& recognised,
                         const std::optional<Version>& asked, const Outside& outside) {
  Command& command = placed.command;
  start_at(command, recognised.first_word);
  if (command.words.size() > kMostWords) {
    return fail(
        Error::Kind::TooLarge,
        in_both({kTooManyWords,
                 {{"line", command.line}, {"count", command.words.size()}, {"most", kMostWords}}}));
  }
  const Engine& engine = *recognised.engine;
  const auto chosen = choose_version(engine, placed, asked, outside);
  if (!chosen) {
    return fail(Error::Kind::Unsupported, in_both({kNoTables, {{"engine", engine.name}}}));
  }
  Launch launch{
      .command = std::move(command), .engine = &engine, .serve = {}, .around = placed.around};
  understand_as(launch, chosen->version, chosen->origin, sources, outside);
  return launch;
}

}  // namespace

void understand_as(Launch& launch, const Version& version, Origin origin, Sources& sources,
                   const Outside& outside) {
  const SplicedFile spliced = [&](std::string_view path) {
    return read_spliced(sources, path, outside);
  };
  launch.serve = launch.engine->understand(launch.command, version, sources, spliced);
  launch.serve.version_origin = origin;
}

Result<GatheredCommands> gather_commands(Sources& sources, const CommandAsk& ask,
                                         const Outside& outside) {
  SX_TRY(const auto asked, asked_version(ask));
  SX_TRY(auto read, read_commands(sources, ask, outside));
  GatheredCommands gathered{.notes = std::move(read.notes)};
  std::vector<Launch> aside;
  for (auto& command : read.commands) {
    const auto recognised = recognise(command.command);
    if (!recognised) continue;
    if (gathered.launches.size() == kMostLaunches) {
      return fail(Error::Kind::TooLarge,
                  in_both({kTooManyLaunches,
                           {{"most", kMostLaunches}, {"place", place_named(read.name)}}}));
    }
    take_docker_env_files(sources, outside, command);
    // The rest of the list is needed for the error only, so the command may move.
    SX_TRY(auto launch, launch_of(sources, std::move(command), *recognised, asked, outside));
    if (stands_aside(launch)) {
      if (aside.size() < kMostLaunches) aside.push_back(std::move(launch));
      continue;
    }
    gathered.launches.push_back(std::move(launch));
  }
  if (gathered.launches.empty()) gathered.launches = std::move(aside);
  if (gathered.launches.empty()) return std::unexpected(no_launch(read.commands, read.name));
  return gathered;
}

}  // namespace sx
