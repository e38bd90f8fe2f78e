// One row a model, one column a size; a size that does not split shows the rule it breaks.
#include "cli/plan_splits.h"

#include <boost/json.hpp>
#include <map>

#include "base/strings.h"
#include "check/run_rules.h"
#include "cli/plan_ask.h"
#include "diag/json_parts.h"
#include "diag/listed.h"
#include "plan/judge.h"
#include "text/columns.h"
#include "text/printable_json.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr int kMostSize = 16;
constexpr std::string_view kSplitFamily = "SX2";
constexpr std::size_t kMostModels = 64;  // a table of more is no table

constexpr Text kModel{"model", "模型"};
constexpr Text kNoModels{"no model was given: sextant plan --splits MODEL…",
                         "没有给出模型：sextant plan --splits 模型…"};
constexpr Text kTooMany{"--splits takes at most {most} models", "--splits 最多接受 {most} 个模型"};
constexpr Text kUnknown{"{model}: not known here; closest: {closest}",
                        "{model}：未知模型；相近的有：{closest}"};
constexpr Text kUnknownAlone{"{model}: {why}", "{model}：{why}"};
constexpr Text kNotFound{"not in the catalogue, and no local copy was found",
                         "内置数据里没有，本机也没有副本"};
constexpr Text kLegend{"ok: splits; otherwise the rule that the size breaks (sextant explain CODE)",
                       "ok：可以切分；否则为违反的规则（sextant explain 代码）"};

struct Sizes {
  std::string model;
  std::vector<std::optional<Broken>> broken;  // by size, from 1
};

Result<Sizes> sizes_of(const Arguments& arguments, std::string_view engine,
                       const std::string& model, const Outside& outside) {
  SX_TRY(const auto gathered, bare_launch(arguments, engine, model, outside));
  const Case& bare = gathered->cases.front();
  if (bare.model().from == ModelFrom::Nowhere) {
    const auto& closest = bare.model().closest_ids;
    if (!closest.empty())
      return fail(Error::Kind::Absent,
                  in_both({kUnknown, {{"model", model}, {"closest", listed(closest)}}}));
    const Message& why = bare.model().why_unknown;
    return fail(
        Error::Kind::Absent,
        in_both({kUnknownAlone,
                 {{"model", model}, {"why", why.empty() ? in_both({kNotFound}) : in_both(why)}}}));
  }
  // How many GPUs there are is no question here.
  static const HostSpec kUnknownMachine;
  Case anywhere = bare;
  anywhere.host_spec = &kUnknownMachine;
  anywhere.whole_host = nullptr;
  Sizes sizes{.model = model, .broken = {}};
  for (int size = 1; size <= kMostSize; ++size) {
    const Change changes[] = {set_flag("--tensor-parallel-size", std::to_string(size))};
    auto launch = asked_again(anywhere, changes);
    if (launch) launch->visible = {};
    sizes.broken.push_back(launch ? first_broken(*launch, kSplitFamily) : std::optional(Broken{}));
  }
  return sizes;
}

std::string splits_text(const std::vector<Sizes>& all, const Style& style) {
  const Language language = style.language;
  std::vector<std::vector<std::string>> rows{{std::string(kModel.in(language))}};
  std::vector<Align> align{Align::Left};
  for (int size = 1; size <= kMostSize; ++size) {
    rows.front().push_back("TP" + std::to_string(size));
    align.push_back(Align::Left);
  }
  for (const Sizes& one : all) {
    rows.push_back({printable(one.model)});
    for (const auto& broken : one.broken) rows.back().push_back(broken ? broken->code : "ok");
  }
  return table_within(rows, align, 0, style.width) + '\n' + std::string(kLegend.in(language)) +
         '\n';
}

std::string splits_json(const std::vector<Sizes>& all) {
  boost::json::array models;
  for (const Sizes& one : all) {
    boost::json::array sizes;
    int size = 0;
    for (const auto& broken : one.broken) {
      boost::json::object entry{{"tp", ++size}, {"ok", !broken}};
      if (broken) {
        entry["code"] = broken->code;
        entry["name"] = broken->name;
        entry["why"] = json_text(broken->why);
      }
      sizes.push_back(std::move(entry));
    }
    models.push_back({{"id", json_text(one.model)}, {"splits", std::move(sizes)}});
  }
  return printable_json(boost::json::serialize(
             boost::json::object{{"schema", "sextant.splits/1"},
                                 {"tool", {{"name", "sextant"}, {"version", SEXTANT_VERSION}}},
                                 {"models", std::move(models)}})) +
         '\n';
}

std::string splits_markdown(const std::vector<Sizes>& all, Language language) {
  std::string out = "| " + std::string(kModel.in(language)) + " |";
  std::string rule = "| --- |";
  for (int size = 1; size <= kMostSize; ++size) {
    out += " TP" + std::to_string(size) + " |";
    rule += " --- |";
  }
  out += '\n' + rule + '\n';
  for (const Sizes& one : all) {
    out += "| `" + replaced(printable(one.model), "|", "") + "` |";
    for (const auto& broken : one.broken) out += ' ' + (broken ? broken->code : "ok") + " |";
    out += '\n';
  }
  return out;
}

}  // namespace

Result<std::string> splits_answer(const Arguments& arguments, const Session& session,
                                  const Style& style) {
  if (arguments.words.empty()) return fail(Error::Kind::Usage, in_both({kNoModels}));
  if (arguments.words.size() > kMostModels)
    return fail(Error::Kind::Usage, in_both({kTooMany, {{"most", kMostModels}}}));
  Outside outside = session.outside;
  std::unique_ptr<Http> http;
  if (arguments.has("--online")) {
    SX_TRY(http, open_http());
    outside.http = http.get();
  }
  const std::string asked = arguments.value("--engine").value_or("vllm");
  const std::string engine = asked == "sglang" ? asked : "vllm";
  std::vector<Sizes> all;
  for (const std::string& model : arguments.words) {
    SX_TRY(auto sizes, sizes_of(arguments, engine, model, outside));
    all.push_back(std::move(sizes));
  }
  const std::string format = arguments.value("--format").value_or("text");
  if (format == "json") return splits_json(all);
  if (format == "markdown") return splits_markdown(all, style.language);
  return splits_text(all, style);
}

}  // namespace sx
