// Predicted against real, line by line.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/learn_answer.h"
#include "diag/listed.h"
#include "knowledge/engine_names.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr Text kTitle{"{engine} {version}: its own memory lines, {count} of them in {lines} lines",
                      "{engine} {version}：在 {lines} 行日志中读到 {count} 个显存数字"};
constexpr Text kTitleWithout{"{engine}: its own memory lines, {count} of them in {lines} lines",
                             "{engine}：在 {lines} 行日志中读到 {count} 个显存数字"};
constexpr Text kCommand{"launch, as the log has it:", "日志中的启动命令："};
constexpr Text kCommandGiven{"launch, as given:", "给出的启动命令："};
constexpr Text kLeftOut{"settings that no flag stands for were left out: {names}",
                        "以下设置没有对应的参数，未计入：{names}"};
constexpr Text kStarts{"the logs hold {count} starts; the last one counts",
                       "日志中有 {count} 次启动，以最后一次为准"};
constexpr Text kDamaged{
    "{names} is packed, and its bytes are damaged or end too early: what comes "
    "before was read",
    "{names} 是压缩日志，数据已损坏或提前结束；在此之前的内容已读取"};
constexpr Text kCut{"the logs have more memory lines than are kept; the first {count} count",
                    "日志中的显存信息超出保留上限，只采用前 {count} 条"};
constexpr Text kNoPrediction{"predicted: not known, {why}", "预测：未知，{why}"};
constexpr Text kPredicted{"predicted", "预测"};
constexpr Text kReal{"real", "实际"};
constexpr Text kOver{"prediction is", "预测偏差"};
constexpr Text kTokens{"KV cache tokens", "KV 缓存 token 数"};
constexpr Text kRequests{"requests at once", "同时请求数"};
constexpr Text kKept{
    "Kept in {file}; the next check of this launch takes these numbers (--no-learned "
    "leaves them out).",
    "已存入 {file}；下次检查同一启动时会采用这些数字（加 --no-learned 则不采用）。"};
constexpr Text kNotKept{"Nothing was kept: {why}", "没有保存：{why}"};

Text title_of(std::string_view name) {
  if (name == "weights") return {"weights", "权重"};
  if (name == "activations") return {"activations", "激活值"};
  if (name == "graphs") return {"CUDA graphs", "CUDA graph"};
  if (name == "graphs_pool") return {"CUDA graphs, really", "CUDA graph 实际占用"};
  if (name == "runtime") return {"runtime", "运行时"};
  if (name == "state") return {"state", "状态"};
  return {"KV cache", "KV 缓存"};
}

// Two decimals: the engines print as many.
std::string gib(const std::optional<Bytes>& bytes) {
  return bytes ? fmt::format("{:.2f} GiB", in_gib(*bytes)) : std::string();
}

std::string percent(const std::optional<double>& over) {
  return over ? fmt::format("{:+.1f} %", *over) : std::string();
}

std::string counted(const std::optional<double>& count, Language language) {
  if (!count) return {};
  constexpr double kWhole = 1000;  // tokens; requests have decimals
  if (*count < kWhole) return rendered(Value{*count}, language);
  return rendered(Value{Tokens{static_cast<std::int64_t>(*count)}}, language);
}

std::optional<double> bytes_of(const std::optional<Bytes>& bytes) {
  return bytes ? std::optional(static_cast<double>(bytes->count())) : std::nullopt;
}

using Rows = std::vector<std::vector<std::string>>;

// GPUs with equal numbers stand in one row.
void add_lines(Rows& rows, const Learned& learned, Language language) {
  struct Row {
    const ComparedLine* line;
    std::vector<int> gpus;
  };
  std::vector<Row> merged;
  for (const ComparedLine& line : learned.lines) {
    const auto same = std::ranges::find_if(merged, [&line](const Row& row) {
      return row.line->name == line.name && row.line->real == line.real &&
             row.line->predicted == line.predicted;
    });
    if (same == merged.end()) {
      merged.push_back({&line, {line.gpu}});
    } else {
      same->gpus.push_back(line.gpu);
    }
  }
  for (const Row& row : merged) {
    rows.push_back(
        {"GPU " + join(row.gpus, ","), std::string(title_of(row.line->name).in(language)),
         gib(row.line->predicted), gib(row.line->real),
         percent(percent_over(bytes_of(row.line->predicted), bytes_of(row.line->real)))});
  }
}

void add_count(Rows& rows, Text title, const ComparedCount& count, Language language) {
  if (!count.real) return;
  rows.push_back({"", std::string(title.in(language)), counted(count.predicted, language),
                  counted(count.real, language),
                  percent(percent_over(count.predicted, count.real))});
}

}  // namespace

std::string learn_text(const Learned& learned, const Style& style) {
  std::string text;
  const Language language = style.language;
  const auto line = [&](const Message& message) {
    for (const std::string& part : wrapped(printable(rendered(message, language)), style.width))
      text += part + '\n';
  };
  const Argument engine("engine", shown_engine(learned.engine));
  const Argument count("count", learned.log.readings.size());
  const Argument lines("lines", learned.log.lines);
  line(learned.version.empty()
           ? Message{kTitleWithout, {engine, count, lines}}
           : Message{kTitle, {engine, {"version", learned.version}, count, lines}});
  if (learned.log.starts > 1) line({kStarts, {{"count", learned.log.starts}}});
  if (!learned.damaged.empty()) line({kDamaged, {{"names", listed(learned.damaged)}}});
  if (learned.log.cut) line({kCut, {count}});
  if (!learned.command.empty()) {
    line(learned.from_log ? kCommand : kCommandGiven);
    text += "    " + printable(learned.command) + '\n';
  }
  if (!learned.left_out.empty()) line({kLeftOut, {{"names", listed(learned.left_out)}}});
  if (!learned.no_prediction.empty())
    line({kNoPrediction, {{"why", in_both(learned.no_prediction)}}});
  Rows rows{{"", "", std::string(kPredicted.in(language)), std::string(kReal.in(language)),
             std::string(kOver.in(language))}};
  add_lines(rows, learned, language);
  add_count(rows, kTokens, learned.kv_tokens, language);
  add_count(rows, kRequests, learned.max_concurrency, language);
  text +=
      '\n' + table(rows, {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right}, 2);
  text += '\n';
  if (!learned.stored.empty()) {
    line({kKept, {{"file", learned.stored}}});
  } else if (!learned.not_stored.empty()) {
    line({kNotKept, {{"why", learned.not_stored}}});
  }
  return text;
}

}  // namespace sx
