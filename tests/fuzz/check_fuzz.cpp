// Everything that is pure, at once: the bytes are a command line, a config.json and a machine,
// separated by lines that say `---`; what comes out must be text, one line a finding and JSON that
// parses.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "cli/check.h"
#include "diag/render.h"
#include "gather/gather_case.h"
#include "sys/files.h"

namespace {

constexpr std::string_view kSeparator = "\n---\n";
constexpr std::string_view kFolder = "/home/user";

// The text up to the separator, which is taken away with it.
std::string next_part(std::string_view& rest) {
  const std::size_t at = std::min(rest.find(kSeparator), rest.size());
  std::string part(rest.substr(0, at));
  rest.remove_prefix(std::min(at + kSeparator.size(), rest.size()));
  return part;
}

void hold(const sx::LaunchAnswer& answer, const sx::Sources& sources) {
  for (const auto& diagnostic : answer.outcome.diagnostics) {
    for (const auto& label : diagnostic.labels) {
      if (label.span.source < 0) continue;
      SX_ASSERT(label.span.begin <= label.span.end &&
                label.span.end <= sources.at(label.span.source).text.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string command = next_part(rest);
  const std::string config = next_part(rest);
  const std::string machine = next_part(rest);

  sx::MemoryFiles files;
  files.add(std::string(kFolder) + "/m/config.json", config);
  files.add(std::string(kFolder) + "/machine.txt", machine);
  files.add(std::string(kFolder) + "/serve.sh", command);
  sx::Outside outside;
  outside.files = &files;
  outside.folder = kFolder;
  outside.nvml = [] {
    return sx::Result<sx::NvmlAnswer>(
        sx::fail(sx::Error::Kind::Absent, "NVML was not found", "没有找到 NVML"));
  };
  outside.standard_input = [] { return sx::Result<std::string>(std::string()); };
  sx::CommandAsk launch;
  launch.file = "serve.sh";
  sx::HostAsk host;
  if (!machine.empty()) host.on = "machine.txt";

  const auto gathered = sx::gather_cases(launch, host, outside);
  if (!gathered) {
    SX_ASSERT(!gathered.error().what.empty() && !gathered.error().chinese.empty());
    return 0;
  }
  const sx::GatheredCases& all = **gathered;
  const sx::Sources shown = sx::shown_sources(all.sources, all.cases);
  SX_ASSERT(shown.all().size() == all.sources.all().size());
  for (std::size_t i = 0; i < shown.all().size(); ++i)
    SX_ASSERT(shown.all()[i].text.size() == all.sources.all()[i].text.size());
  std::vector<sx::LaunchAnswer> answers;
  for (const sx::Case& c : all.cases) {
    if (answers.size() == 4) break;  // more of the same only cost time
    answers.push_back(sx::answer_of(all, c, true, sx::Language::Chinese));
    hold(answers.back(), all.sources);
    const sx::Style style{.language = sx::Language::Chinese, .width = 60};
    SX_ASSERT(sx::is_valid_utf8(
        sx::render_text(answers.back().outcome, shown, answers.back().asked, style)));
    SX_ASSERT(sx::is_valid_utf8(sx::render_short(answers.back().outcome, shown, {})));
    if (answers.size() > 1) continue;
    // What was found is wanted: rules that waited for it speak of layouts that cannot be.
    std::vector<std::string> allowed;
    for (const auto& diagnostic : answers.back().outcome.diagnostics)
      allowed.emplace_back(diagnostic.code);
    hold(sx::answer_of(c, false, sx::Language::English, std::move(allowed)), all.sources);
  }
  const std::string json = sx::render_json(answers, shown, "0");
  boost::system::error_code error;
  const auto document = boost::json::parse(json, error);
  SX_ASSERT(!error && document.is_object());
  return 0;
}
