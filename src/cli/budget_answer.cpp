// The ledger of every GPU of one replica, for people and for programs.
#include "cli/budget_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/strings.h"
#include "cli/origin_words.h"
#include "diag/words.h"
#include "engines/engine.h"
#include "facts/need.h"
#include "knowledge/engine_names.h"
#include "text/columns.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Text kHeading{"memory of each GPU (one replica), {engine} {version}:",
                        "每张 GPU 的显存（单个副本），{engine} {version}："};
constexpr Text kPool{
    "KV cache: {tokens} tokens; requests of {length} tokens at once: {requests}",
    "KV 缓存：{tokens} 个 token；可同时容纳 {length} 个 token 的请求：{requests} 个"};
constexpr Text kUnknown{"memory of each GPU: not known, {reason}",
                        "每张 GPU 的显存：未知，{reason}"};
constexpr Text kWhere{"where it comes from:", "出处："};

Text line_title(std::string_view name) {
  if (name == "weights") return {"weights", "权重"};
  if (name == "draft") return {"draft model", "草稿模型"};
  if (name == "activations") return {"activations", "激活值"};
  if (name == "graphs") return {"CUDA graphs", "CUDA graph"};
  if (name == "runtime") return {"runtime", "运行时"};
  if (name == "state") return {"state", "状态"};
  if (name == "kv_cache") return {"KV cache", "KV 缓存"};
  return {"unused", "未使用"};
}

std::string sized(Bytes bytes) {
  const bool traces = bytes > Bytes{0} && bytes < mib(5);  // would be shown as nothing
  return traces ? "< 0.01 GiB" : fmt::format("{:.2f} GiB", in_gib(bytes));
}

// What the lines take beyond the card's memory.
Bytes missing(const GpuBudget& gpu) {
  Bytes sum{0};
  for (const BudgetLine& line : gpu.lines) sum = sum + line.bytes;
  return std::max(Bytes{0}, sum - gpu.capacity);
}

// GPUs whose ledgers are equal stand in one column.
struct Column {
  std::string title;
  const GpuBudget* budget = nullptr;
};

std::vector<Column> columns_of(const Budget& budget) {
  std::vector<Column> columns;
  for (const GpuBudget& gpu : budget.gpus) {
    const auto same = [&gpu](const Column& column) {
      const GpuBudget& other = *column.budget;
      return other.stage == gpu.stage && other.capacity == gpu.capacity &&
             other.kv_bytes == gpu.kv_bytes &&
             std::ranges::equal(other.lines, gpu.lines, {}, &BudgetLine::bytes, &BudgetLine::bytes);
    };
    const auto found = std::ranges::find_if(columns, same);
    if (found == columns.end()) {
      columns.push_back({"GPU " + std::to_string(gpu.gpu), &gpu});
    } else {
      found->title += ',' + std::to_string(gpu.gpu);
    }
  }
  return columns;
}

std::string ledger(const Budget& budget, Language language) {
  const auto columns = columns_of(budget);
  std::vector<std::vector<std::string>> rows;
  std::vector<Align> align{Align::Left};
  rows.push_back({""});
  for (const Column& column : columns) {
    rows.front().push_back(column.title);
    align.push_back(Align::Right);
  }
  constexpr Text kCapacity{"capacity", "可用容量"};
  rows.push_back({std::string(kCapacity.in(language))});
  for (const Column& column : columns) rows.back().push_back(sized(column.budget->capacity));
  for (const BudgetLine& line : budget.gpus.front().lines) {
    rows.push_back({std::string(line_title(line.name).in(language))});
    for (const Column& column : columns) {
      const BudgetLine* own = column.budget->line(line.name);
      rows.back().push_back(own == nullptr ? "" : sized(own->bytes));
    }
  }
  const bool fits = std::ranges::all_of(
      columns, [](const Column& column) { return missing(*column.budget) == Bytes{0}; });
  if (fits) return table(rows, align, 2);
  constexpr Text kMissing{"missing", "缺少"};
  rows.push_back({std::string(kMissing.in(language))});
  for (const Column& column : columns) rows.back().push_back(sized(missing(*column.budget)));
  return table(rows, align, 2);
}

// Names of a config and of the command stand in notes and reasons.
std::string lines_printable(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += printable(line) + '\n';
  return out;
}

// "; " in the machine format.
std::string noted(const BudgetLine& line, Language language) {
  std::string text;
  for (const Message& note : line.notes) {
    if (!text.empty()) text += words::kSemicolon.in(language);
    text += rendered(note, language);
  }
  return text;
}

std::string origins(const Budget& budget, Language language) {
  std::vector<std::vector<std::string>> rows;
  for (const BudgetLine& line : budget.gpus.front().lines) {
    rows.push_back({std::string(line_title(line.name).in(language)),
                    std::string(origin_words(line.origin).in(language)), noted(line, language)});
  }
  return std::string(kWhere.in(language)) + '\n' +
         table(rows, {Align::Left, Align::Left, Align::Left}, 2);
}

}  // namespace

boost::json::array budget_entries(const Budget& budget) {
  boost::json::array gpus;
  for (const GpuBudget& gpu : budget.gpus) {
    boost::json::array lines;
    for (const BudgetLine& line : gpu.lines) {
      lines.push_back({{"name", boost::json::string(line.name)},
                       {"bytes", line.bytes.count()},
                       {"low", line.low.count()},
                       {"high", line.high.count()},
                       {"origin", boost::json::string(word(line.origin))},
                       {"note", noted(line, Language::English)}});
    }
    gpus.push_back({{"gpu", gpu.gpu},
                    {"stage", gpu.stage},
                    {"capacity_bytes", gpu.capacity.count()},
                    {"lines", std::move(lines)},
                    {"kv_bytes", gpu.kv_bytes.count()}});
  }
  return gpus;
}

std::string budget_page(const Budget& budget, Language language) {
  if (budget.gpus.empty()) return {};
  std::string page = ledger(budget, language) + origins(budget, language);
  if (page.ends_with('\n')) page.pop_back();  // printing ends every line
  return lines_printable(page);
}

void add_budget(LaunchAnswer& answer, const Case& c, Language language) {
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  const auto unknown = [&](const Message& why) {
    answer.asked.budget_table =
        lines_printable(rendered(Message{kUnknown, {{"reason", in_both(why)}}}, language));
  };
  if (engine == nullptr || !layout || !met(Need::MemoryBudget, c)) {
    unknown(why_not(layout ? Need::MemoryBudget : Need::Layout, c));
    return;
  }
  const auto budget = engine->budget(c, *layout);
  if (!budget) {
    unknown(budget.error().why);
    return;
  }
  answer.budget_json = boost::json::serialize(budget_entries(*budget));
  answer.kv_tokens = budget->kv_tokens.count();
  answer.max_concurrency = budget->max_concurrency;
  std::string text = rendered(
      Message{kHeading,
              {{"engine", shown_engine(c.serve.engine)}, {"version", c.serve.version.text()}}},
      language);
  text += '\n' + ledger(*budget, language) + origins(*budget, language);
  text += rendered(Message{kPool,
                           {{"tokens", budget->kv_tokens},
                            {"length", budget->max_model_len},
                            {"requests", budget->max_concurrency}}},
                   language);
  for (const Message& assumption : budget->assumptions)
    text += '\n' + rendered(assumption, language);
  answer.asked.budget_table = lines_printable(text);
}

}  // namespace sx
