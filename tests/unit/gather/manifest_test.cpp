// Manifests and units of many shapes: the launches in them, what stands around each, and that every
// word stands where its place says. Each text in tests/cases/manifests begins with comment lines
// `#= …` that say what is read; SX_BLESS=1 writes them anew.
#include "gather/manifest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "engines/engine.h"
#include "facts/edit_command.h"
#include "read/shell_words.h"
#include "sys/files.h"

namespace sx {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(SEXTANT_SOURCE_DIR) / "tests" / "cases" / "manifests";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class T>
void say(std::string& line, std::string_view name, const Fact<T>& fact) {
  if (!fact.known()) return;
  if constexpr (std::is_same_v<T, Bytes>) {
    const bool unlimited = fact.value() >= Bytes{std::int64_t{1} << 59};
    line += unlimited ? fmt::format(", {} unlimited", name)
                      : fmt::format(", {} {:.2f} GiB", name, in_gib(fact.value()));
  } else if constexpr (std::is_same_v<T, bool>) {
    if (fact.value()) line += fmt::format(", {}", name);
  } else {
    line += fmt::format(", {} {}", name, fact.value());
  }
  if (fact.origin() == Origin::Default) line += "*";
}

constexpr std::array<std::string_view, 6> kKinds{"bare",       "docker",  "compose",
                                                 "kubernetes", "systemd", "process"};
constexpr std::array<std::string_view, 4> kProbes{"startup", "readiness", "liveness", "health"};

std::string around_words(const Surroundings& around) {
  std::string line = std::string(kKinds.at(static_cast<std::size_t>(around.kind)));
  if (!around.workload.empty()) line += ' ' + around.workload;
  line += fmt::format(" '{}'", around.name);
  say(line, "image", around.image);
  say(line, "tag", around.image_tag);
  say(line, "all GPUs", around.all_gpus);
  say(line, "GPUs", around.gpu_count);
  if (around.gpu_devices) line += " (" + join(around.gpu_devices.value(), " ") + ")";
  say(line, "shm", around.shared_memory);
  say(line, "memory", around.memory_limit);
  say(line, "memlock", around.locked_memory);
  say(line, "files", around.open_files);
  say(line, "cpus", around.cpu_limit);
  say(line, "host IPC", around.host_ipc);
  say(line, "host network", around.host_network);
  say(line, "privileged", around.privileged);
  say(line, "user", around.user);
  say(line, "runtime", around.runtime);
  say(line, "restart", around.restart);
  say(line, "start", around.start_timeout_s);
  say(line, "stop", around.stop_timeout_s);
  say(line, "replicas", around.replicas);
  say(line, "hosts", around.hosts);
  say(line, "in", around.working_folder);
  for (const Mount& mount : around.mounts)
    line += fmt::format(", mount {}:{}{}", mount.host, mount.inside, mount.read_only ? ":ro" : "");
  for (const PublishedPort& port : around.ports)
    line += fmt::format(", port {}:{}:{}", port.address, port.host, port.inside);
  for (const HealthProbe& probe : around.probes) {
    line +=
        fmt::format(", {} probe {}", kProbes.at(static_cast<std::size_t>(probe.kind)), probe.path);
    if (probe.port > 0) line += fmt::format(" on {}", probe.port);
    say(line, "delay", probe.initial_delay_s);
    say(line, "each", probe.period_s);
    say(line, "wait", probe.timeout_s);
    say(line, "times", probe.failures);
  }
  for (const ForwardedPort& to : around.forwarded)
    line += fmt::format(", service {} to {}", to.service, to.inside);
  if (around.beside > 0) line += fmt::format(", {} beside", around.beside);
  for (const Message& remark : around.remarks)
    line += ", REMARK " + rendered(remark, Language::English);
  for (const ManifestFault& fault : around.faults)
    line += fmt::format(", FAULT {} '{}'", fault.name, fault.written);
  return line;
}

std::string setting_words(const Setting& setting) {
  return setting.name + (setting.complete ? "=" + setting.value : std::string("=?"));
}

bool is_launch(const Command& command) {
  return std::ranges::any_of(all_engines(), [&](const Engine* engine) {
    return engine->recognises(command.words).has_value();
  });
}

std::string one_line_text(std::string text) {
  return replaced(replaced(replaced(text, "\\", "\\\\"), "\n", "\\n"), "\r", "\\r");
}

std::string dump(const ReadCommands& read) {
  std::string out;
  for (const PlacedCommand& placed : read.commands) {
    std::vector<std::string> words;
    for (const Word& word : placed.command.words)
      words.push_back(shell_quoted(word.text) + (word.complete ? "" : "?"));
    const bool launch = is_launch(placed.command);
    out += fmt::format("#= {} line {}: {}\n", launch ? "launch" : "other", placed.command.line,
                       one_line_text(join(words, " ")));
    if (!launch) continue;
    std::vector<std::string> settings;
    for (const Setting& setting : placed.command.environment)
      settings.push_back(setting_words(setting));
    if (!settings.empty()) out += "#=   with " + one_line_text(join(settings, " ")) + "\n";
    out += "#=   in " + one_line_text(around_words(placed.around)) + "\n";
  }
  return out;
}

// Every word whose bytes are said to be its own, and that is written without quotes, stands there.
void expect_exact(const Sources& sources, const Command& command, const std::string& name) {
  for (const Word& word : command.words) {
    if (word.span.source < 0) continue;
    const Source& source = sources.at(word.span.source);
    ASSERT_LE(word.span.begin, word.span.end) << name << ": " << word.text;
    ASSERT_LE(word.span.end, source.text.size()) << name << ": " << word.text;
    ASSERT_LE(word.blank, word.span.begin) << name << ": " << word.text;
    const std::string_view raw = sources.text(word.span);
    const bool bare = raw.find_first_of("'\"\\$%") == std::string_view::npos;
    if (word.literal && bare) {
      EXPECT_EQ(raw, word.text) << name;
    }
  }
  for (const Setting& setting : command.environment) {
    if (setting.span.source < 0) continue;
    ASSERT_LE(setting.span.end, sources.at(setting.span.source).text.size()) << name;
    const std::string_view raw = sources.text(setting.span);
    const bool bare = raw.find_first_of("'\"\\$%") == std::string_view::npos;
    if (setting.literal && bare && setting.form == Setting::Form::ValueAlone) {
      EXPECT_EQ(raw, setting.value) << name << ' ' << setting.name;
    }
  }
}

std::vector<std::filesystem::path> texts() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const auto ending = entry.path().extension();
    if (ending == ".yaml" || ending == ".yml" || ending == ".service" || ending == ".container")
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

class Manifest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Manifest, IsReadAsItsFirstLinesSay) {
  const std::string whole = read_file(GetParam());
  std::string expected;
  std::size_t at = 0;
  while (whole.compare(at, 2, "#=") == 0) {
    const std::size_t end = std::min(whole.find('\n', at), whole.size() - 1) + 1;
    expected += whole.substr(at, end - at);
    at = end;
  }
  const std::string name = GetParam().filename().string();
  Sources sources;
  MemoryFiles files;
  files.add("/srv/.env", "TAG=v0.9.1\nMODEL=Qwen/Qwen3-8B\nTP=2\n");
  files.add("/srv/vllm.env", "# engine\nVLLM_USE_V1=1\nHF_HOME=\"/data/hf\"\n");
  files.add("/srv/base.yml",
            "services:\n  base:\n    image: vllm/vllm-openai:v0.10.0\n    shm_size: 8g\n    "
            "environment:\n      HF_HOME: /hf\n");
  Outside outside;
  outside.files = &files;
  outside.folder = "/srv";
  const int source = sources.add(
      {.kind = SourceKind::File, .name = name, .uri = "/srv/" + name, .text = whole.substr(at)});
  const bool unit = name.ends_with(".service") || name.ends_with(".container");
  const auto read =
      unit ? read_unit_text(sources, source, outside) : read_yaml_text(sources, source, outside);
  const std::string seen =
      read ? dump(*read)
           : "#= refused: " + read.error().what + "\n#= refused: " + read.error().chinese + "\n";
  if (std::getenv("SX_BLESS") != nullptr) {
    std::ofstream(GetParam(), std::ios::binary) << seen << whole.substr(at);
  } else {
    EXPECT_EQ(expected, seen) << name;
  }
  if (!read) return;
  for (const PlacedCommand& placed : read->commands) expect_exact(sources, placed.command, name);
}

INSTANTIATE_TEST_SUITE_P(Texts, Manifest, testing::ValuesIn(texts()), [](const auto& one) {
  std::string name = one.param.filename().string();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

ReadCommands read_again(Sources& sources, const std::string& name, std::string text,
                        const MemoryFiles& files) {
  Outside outside;
  outside.files = &files;
  outside.folder = "/srv";
  const int source = sources.add(
      {.kind = SourceKind::File, .name = name, .uri = "/srv/" + name, .text = std::move(text)});
  const bool unit = name.ends_with(".service") || name.ends_with(".container");
  auto read =
      unit ? read_unit_text(sources, source, outside) : read_yaml_text(sources, source, outside);
  return read ? std::move(*read) : ReadCommands{};
}

std::vector<std::string> texts_of(const std::vector<Word>& words) {
  std::vector<std::string> all;
  for (const Word& word : words) all.push_back(word.text);
  return all;
}

std::string value_of(const Command& command, std::string_view name) {
  std::string value = "not set";
  for (const Setting& setting : command.environment) {
    if (setting.name == name) value = setting.value;
  }
  return value;
}

ServeSpec understood(const Command& command, const Sources& sources) {
  for (const Engine* engine : all_engines()) {
    if (engine->recognises(command.words) != std::optional<std::size_t>(0)) continue;
    return engine->understand(command, {}, sources, [](std::string_view) { return std::nullopt; });
  }
  return {};
}

// Edits of the text, where there are any, say the same as the edited command: read again, the text
// has its words and its environment. Returns whether there were edits.
bool expect_same(const std::string& name, const std::string& text, std::size_t index,
                 const std::vector<Change>& changes) {
  MemoryFiles files;
  files.add("/srv/.env", "TAG=v0.9.1\nMODEL=Qwen/Qwen3-8B\nTP=2\n");
  files.add("/srv/base.yml", "services:\n  base:\n    image: vllm/vllm-openai:v0.10.0\n");
  Sources sources;
  const ReadCommands before = read_again(sources, name, text, files);
  const Command& command = before.commands.at(index).command;
  const EditedCommand edited = edit_command(command, understood(command, sources), changes);
  if (edited.edits.empty()) return false;
  std::string after = text;
  for (auto edit = edited.edits.rbegin(); edit != edited.edits.rend(); ++edit) {
    if (edit->span.source != 0) return false;  // a file beside it
    after.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
  }
  Sources again;
  const ReadCommands read = read_again(again, name, after, files);
  EXPECT_EQ(read.commands.size(), before.commands.size()) << name << '\n' << after;
  if (read.commands.size() != before.commands.size()) return true;
  const Command& now = read.commands.at(index).command;
  EXPECT_EQ(texts_of(now.words), texts_of(edited.command.words)) << name << '\n' << after;
  for (const Setting& setting : edited.command.environment)
    EXPECT_EQ(value_of(now, setting.name), value_of(edited.command, setting.name))
        << name << ' ' << setting.name << '\n'
        << after;
  return true;
}

TEST(Manifest, EditsOfTheTextSayTheSameAsTheEditedCommand) {
  const std::vector<std::vector<Change>> kChanges{
      {set_flag("--seed", "7")},
      {set_flag("--port", "8123")},
      {set_flag("--tensor-parallel-size", "1")},
      {set_environment("VLLM_LOGGING_LEVEL", "WARNING")},
      {set_environment("CUDA_VISIBLE_DEVICES", "0,1")},
      {remove_flag("--port"), remove_flag("--tensor-parallel-size")},
      {remove_environment("VLLM_USE_V1")},
      {remove_environment("HF_HOME")},
      {set_flag("--hf-overrides", "{\"a\": [1, \"b c\"]}")},
  };
  int edits = 0;
  for (const auto& path : texts()) {
    const std::string name = path.filename().string();
    std::string text = read_file(path);
    while (text.starts_with("#=")) text.erase(0, text.find('\n') + 1);
    Sources sources;
    MemoryFiles files;
    const std::size_t count = read_again(sources, name, text, files).commands.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& changes : kChanges) edits += expect_same(name, text, i, changes) ? 1 : 0;
    }
  }
  EXPECT_GT(edits, 300);
}

TEST(Manifest, TextsAreMany) { EXPECT_GE(texts().size(), 60U); }

}  // namespace
}  // namespace sx
