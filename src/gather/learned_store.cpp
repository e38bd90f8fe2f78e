// Read whole, written whole beside it and moved over it.
#include "gather/learned_store.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/strings.h"
#include "base/utf8.h"
#include "gather/model_places.h"
#include "read/json.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr Bytes kLimit = mib(4);
constexpr std::size_t kMostRuns = 1'000;
constexpr int kMostGpus = 1'024;
constexpr std::string_view kSchema = "sextant.learned/1";
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

std::optional<Bytes> bytes_of(JsonValue value) {
  const auto count = value.integer();
  if (!count || *count < -kMostBytes || *count > kMostBytes) return {};
  return Bytes{*count};
}

std::optional<LearnedRun> parse_line(std::string_view line) {
  const auto document = JsonDocument::parse(line);
  if (!document || !document->root().is(JsonKind::Object)) return {};
  const JsonValue root = document->root();
  if (root["schema"].string().value_or("") != kSchema) return {};
  LearnedRun run;
  run.key = root["key"].string().value_or("");
  run.engine = root["engine"].string().value_or("");
  run.version = root["version"].string().value_or("");
  run.model = root["model"].string().value_or("");
  run.date = root["date"].string().value_or("");
  if (run.key.empty()) return {};
  const auto tokens = root["kv_tokens"].integer();
  if (tokens && *tokens > 0 && *tokens < kMostBytes) run.kv_tokens = Tokens{*tokens};
  for (JsonValue one = root["gpus"].first(); one; one = one.next()) {
    const auto rank = one["gpu"].integer();
    if (!rank || *rank < 0 || *rank >= kMostGpus || run.gpus.size() == kMostGpus) return {};
    run.gpus.push_back({.gpu = static_cast<int>(*rank),
                        .weights = bytes_of(one["weights"]),
                        .activations = bytes_of(one["activations"]),
                        .graphs = bytes_of(one["graphs"]),
                        .runtime = bytes_of(one["runtime"]),
                        .kv_cache = bytes_of(one["kv_cache"])});
  }
  return run;
}

}  // namespace

std::string learned_path(const Environment& environment) {
  std::string root = environment.get("XDG_DATA_HOME").value_or("");
  if (!root.starts_with('/')) {  // the standard says to pass over relative ones
    const std::string home = environment.get("HOME").value_or("");
    if (!home.starts_with('/')) return {};
    root = joined_path(home, ".local/share");
  }
  return joined_path(root, "sextant/learned.jsonl");
}

LearnedStore parse_learned(std::string_view text) {
  LearnedStore store;
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    if (auto run = parse_line(line)) {
      store.runs.push_back(*std::move(run));
    } else {
      store.other_lines.emplace_back(line);
    }
  }
  return store;
}

std::string to_line(const LearnedRun& run) {
  namespace json = boost::json;
  json::array gpus;
  for (const LearnedGpu& gpu : run.gpus) {
    json::object one{{"gpu", gpu.gpu}};
    const auto put = [&one](std::string_view name, const std::optional<Bytes>& bytes) {
      if (bytes) one[name] = bytes->count();
    };
    put("weights", gpu.weights);
    put("activations", gpu.activations);
    put("graphs", gpu.graphs);
    put("runtime", gpu.runtime);
    put("kv_cache", gpu.kv_cache);
    gpus.push_back(std::move(one));
  }
  json::object line{{"schema", json::string(kSchema)}, {"key", run.key},     {"engine", run.engine},
                    {"version", run.version},          {"model", run.model}, {"date", run.date},
                    {"gpus", std::move(gpus)}};
  if (run.kv_tokens) line["kv_tokens"] = run.kv_tokens->count();
  return valid_utf8(json::serialize(line));
}

std::vector<LearnedRun> read_learned(const Outside& outside) {
  const std::string path = learned_path(outside.environment);
  if (path.empty() || outside.files == nullptr) return {};
  const auto text = outside.files->read(path, kLimit);
  return text ? parse_learned(*text).runs : std::vector<LearnedRun>();
}

Result<std::string> save_learned(const LearnedRun& run, const Outside& outside) {
  const std::string path = learned_path(outside.environment);
  if (path.empty())
    return fail(Error::Kind::Absent, "HOME is not set, so nothing can be kept",
                "没有设置 HOME，无法保存");
  if (auto made = make_folders(path.substr(0, path.rfind('/'))); !made)
    return std::unexpected(made.error());
  SX_TRY(const auto lock, lock_beside(path));
  LearnedStore store;
  const auto text = outside.files->read(path, kLimit);
  if (!text && text.error().kind != Error::Kind::Absent) return std::unexpected(text.error());
  if (text) store = parse_learned(*text);
  std::erase_if(store.runs, [&run](const LearnedRun& other) { return other.key == run.key; });
  store.runs.push_back(run);
  std::string out;
  for (const std::string& line : store.other_lines) out += line + '\n';
  const std::size_t first = store.runs.size() > kMostRuns ? store.runs.size() - kMostRuns : 0;
  for (std::size_t i = first; i < store.runs.size(); ++i) out += to_line(store.runs[i]) + '\n';
  if (static_cast<std::int64_t>(out.size()) > kLimit.count())
    return fail(Error::Kind::TooLarge, path + " would become longer than 4 MiB",
                path + " 将超过 4 MiB");
  if (auto saved = save_file(path, out); !saved) return std::unexpected(saved.error());
  return path;
}

}  // namespace sx
