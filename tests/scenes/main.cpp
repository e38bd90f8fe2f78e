// Runs the scenes of data/causes/scenes: each log is diagnosed as `sextant diagnose` does it, and
// the answer must be the one that stands below it. Arguments: only pages whose name contains one of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/diagnose_fixes.h"
#include "cli/diagnose_run.h"
#include "gather/gather_case.h"
#include "knowledge/scenes.h"
#include "knowledge/tables.h"
#include "sys/files.h"

namespace sx::scenes {
namespace {

DiagnoseAnswer diagnosed(SignatureSet& signatures, const CauseScene& scene) {
  DiagnoseRun run(signatures);
  for (const SceneLog& log : scene.logs) {
    run.begin_file(std::string(log.name));
    run.feed(log.text);
    run.end_file();
  }
  return run.answer({});
}

std::string answer_line(std::string_view cause, std::string_view confidence, std::string_view log,
                        std::uint64_t line) {
  return fmt::format("{} {} {}:{}", cause, confidence, log, line);
}

std::string wanted(const SceneAnswer& answer) {
  if (answer.cause.empty()) return "nothing";
  return answer_line(answer.cause, answer.confidence, answer.log, answer.line);
}

std::string came_out(const DiagnoseAnswer& answer) {
  if (answer.causes.empty()) return "nothing";
  const FoundCause& cause = answer.causes.front().found;
  const LogPlace& place = cause.root.place;
  const auto file = static_cast<std::size_t>(place.file);
  const std::string_view name =
      file < answer.run.files.size() ? std::string_view(answer.run.files[file].name) : "";
  return answer_line(cause.name, word(cause.certainty), name, place.line);
}

// The command of a scene must be one that can be read: fixes are made of it. Empty: it can.
std::string trouble_with_command(const CauseScene& scene, DiagnoseAnswer& answer) {
  const MemoryFiles files;
  Outside outside;
  outside.files = &files;
  outside.folder = "/home/user";
  outside.nvml = [] {
    return Result<NvmlAnswer>(fail(Error::Kind::Absent, "NVML was not found", "没有找到 NVML"));
  };
  outside.standard_input = [] { return Result<std::string>(std::string()); };
  const CommandAsk ask{
      .argv = {std::string(scene.command)}, .file = {}, .pid = {}, .engine_version = {}};
  const auto cases = gather_cases(ask, HostAsk{}, outside);
  if (!cases) return cases.error().what;
  if ((*cases)->cases.empty()) return "no launch";
  add_fixes(answer, (*cases)->cases.front(), Language::English);
  return "";
}

class Runner {
 public:
  void page(std::string_view name) {
    const auto scenes = read_scenes(name, table_bytes(name));
    if (!scenes) return count(false, scenes.error().what);
    for (const CauseScene& scene : *scenes) {
      DiagnoseAnswer answer = diagnosed(signatures_, scene);
      const std::string want = wanted(scene.answer);
      const std::string got = came_out(answer);
      const std::string place = fmt::format("{}:{}: {}", name, scene.line, scene.heading.english);
      count(want == got, fmt::format("{}\n  wanted   {}\n  came out {}", place, want, got));
      if (scene.command.empty()) continue;
      const std::string trouble = trouble_with_command(scene, answer);
      count(trouble.empty(), fmt::format("{}\n  the command: {}", place, trouble));
    }
  }

  int close() const {
    std::fputs(fmt::format("{} passed, {} failed\n", passed_, failed_).c_str(), stdout);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void count(bool good, const std::string& what) {
    ++(good ? passed_ : failed_);
    if (!good) std::fputs((what + '\n').c_str(), stdout);
  }

  SignatureSet signatures_ = diagnose_signatures();
  int passed_ = 0;
  int failed_ = 0;
};

int run(const std::vector<std::string>& filters) {
  Runner runner;
  for (const std::string_view name : scene_pages()) {
    const bool asked = filters.empty() || std::ranges::any_of(filters, [&](const auto& filter) {
                         return name.contains(filter);
                       });
    if (asked) runner.page(name);
  }
  return runner.close();
}

}  // namespace
}  // namespace sx::scenes

int main(int argc, char** argv) {
  return sx::scenes::run(std::vector<std::string>(argv + 1, argv + argc));
}
