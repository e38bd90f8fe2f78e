// The answer for people: headline, table, what is out and what would bring it in, then the best
// plan with its commands.
#include <algorithm>

#include "base/strings.h"
#include "cli/budget_answer.h"
#include "cli/plan_answer.h"
#include "cli/plan_ladder.h"
#include "knowledge/engine_names.h"
#include "text/columns.h"
#include "text/paint.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr Text kOut{"out:", "不可用的布局："};
constexpr Text kLadder{"tensor parallel alone, rung by rung: {rungs}",
                       "仅用张量并行的台阶：{rungs}"};
constexpr Text kLadderOf{"{engine}, tensor parallel alone, rung by rung: {rungs}",
                         "{engine} 仅用张量并行的台阶：{rungs}"};
constexpr Text kBest{"best: {label} with {engine}", "最合适：{label}（{engine}）"};
constexpr Text kPlan{"{label} with {engine}", "{label}（{engine}）"};
constexpr Text kUnfit{"{name}  {label} does not fit", "{name}  {label} 放不下"};
constexpr Text kSpeed{
    "{ttft} s to the first token, {tpot} ms a token ({low} to {high}), {rate} tokens a second in "
    "all ({basis})",
    "首 token {ttft} 秒，每 token {tpot} 毫秒（{low} 到 {high}），总计每秒 {rate} 个 "
    "token（{basis}）"};
constexpr Text kMeasured{"constants measured on this card", "依据本型号实测常数"};
constexpr Text kRelated{"constants of a related card", "依据同系列卡的常数"};
constexpr Text kDataSheet{"bounds from the data sheet", "按规格书峰值得出的范围"};
constexpr Text kNoSpeed{"no speed is told: {why}", "不给出速度：{why}"};
constexpr Text kReplicas{"{count} processes; put a load balancer in front of their ports",
                         "共 {count} 个进程；在它们的端口前放一个负载均衡"};
constexpr Text kFinding{"{code}: {title}", "{code}：{title}"};
constexpr Text kAssumed{"taken for granted:", "以下为假定："};
constexpr Text kMemory{"memory of each GPU of {label}:", "{label} 每张 GPU 的显存："};

class Page {
 public:
  explicit Page(const PlanPage& page)
      : page_(page), language_(page.style.language), paint_(page.style.colour) {}

  std::string text() {
    for (const std::string& line : plan_headline(page_)) paragraph(line, 0);
    if (!page_.answer.plans.empty()) add_table();
    add_rejected();
    add_ladders();
    for (const Message& advice : page_.answer.advice) {
      blank();
      paragraph(said(advice), 0);
    }
    if (!page_.answer.nothing.empty()) {
      blank();
      paragraph(said(page_.answer.nothing), 0);
    }
    add_best();
    if (page_.why) add_memory();
    add_assumed();
    return std::move(out_);
  }

 private:
  std::string said(const Message& message) const { return rendered(message, language_); }
  std::string said(Text text) const { return std::string(text.in(language_)); }
  void blank() { out_ += '\n'; }
  void paragraph(std::string_view text, std::size_t indent) {
    const std::size_t width = page_.style.width > indent + 20 ? page_.style.width - indent : 20;
    for (const std::string& line : wrapped(printable(text), width))
      out_ += std::string(indent, ' ') + line + '\n';
  }

  void add_table() {
    const auto rows = plan_rows(page_);
    std::vector<Align> align(rows.front().size(), Align::Right);
    // Names in front, and the note at the end.
    const std::size_t names = page_.asked.engines.size() > 1 ? 3 : 2;
    for (std::size_t i = 0; i < align.size(); ++i) {
      if (i < names || i + 1 == align.size()) align[i] = Align::Left;
    }
    blank();
    std::vector<std::vector<std::string>> shown;
    for (const auto& row : rows) {
      shown.emplace_back();
      for (const std::string& cell : row) shown.back().push_back(printable(cell));
    }
    out_ += table_within(shown, align, 2, page_.style.width);
  }

  void add_rejected() {
    const auto lines = rejected_lines(page_);
    if (lines.empty()) return;
    blank();
    out_ += said(kOut) + '\n';
    for (const std::string& line : lines) out_ += line + '\n';
  }

  // What a launch can be stepped up or down by.
  void add_ladders() {
    const auto ladders = tensor_ladders(page_);
    if (!ladders.empty()) blank();
    for (const TensorLadder& ladder : ladders) {
      const Argument rungs("rungs", rungs_text(ladder, language_));
      const Argument engine("engine", shown_engine(ladder.engine->name));
      paragraph(ladders.size() == 1 ? rendered({kLadder, {rungs}}, language_)
                                    : rendered({kLadderOf, {engine, rungs}}, language_),
                0);
    }
  }

  void add_plan(const Plan& plan, Text heading) {
    const std::string engine =
        std::string(shown_engine(plan.engine->name)) + ' ' + plan.version.text();
    const std::string name = plan.model + (plan.model.empty() ? "" : " ") + label_of(plan);
    blank();
    out_ +=
        paint_(Paint::Strong,
               printable(rendered({heading, {{"label", name}, {"engine", engine}}}, language_))) +
        '\n';
    if (plan.speed) paragraph(speed_line(*plan.speed), 2);
    if (!plan.no_speed.empty())
      paragraph(rendered({kNoSpeed, {{"why", in_both(plan.no_speed)}}}, language_), 2);
    for (const Message& note : plan.notes) paragraph(said(note), 2);
    for (const Diagnostic& d : plan.diagnostics) {
      if (d.severity == Severity::Advice && !page_.style.all) continue;
      paragraph(rendered({kFinding, {{"code", d.code}, {"title", in_both(d.title)}}}, language_),
                2);
    }
    if (plan.commands.size() > 1)
      paragraph(rendered({kReplicas, {{"count", plan.commands.size()}}}, language_), 2);
    for (const std::string& command : plan.commands)
      out_ += "    " + paint_(Paint::Command, printable(command)) + '\n';
  }

  std::string label_of(const Plan& plan) const { return rendered(Value{plan.shown}, language_); }

  // A plan that people ask about by name, and why it is none here.
  void add_unfit(const Plan& plan) {
    blank();
    out_ +=
        printable(rendered({kUnfit, {{"name", plan.named}, {"label", plan.shown}}}, language_)) +
        '\n';
    if (!plan.why_not.empty())
      paragraph(rendered({kFinding, {{"code", plan.why_code}, {"title", in_both(plan.why_not)}}},
                         language_),
                2);
    for (const Message& note : plan.notes) paragraph(said(note), 2);
  }

  std::string speed_line(const Speed& speed) const {
    const Text basis = speed.basis == SpeedBasis::Measured  ? kMeasured
                       : speed.basis == SpeedBasis::Related ? kRelated
                                                            : kDataSheet;
    const auto whole = [](double value) { return static_cast<std::int64_t>(value + 0.5); };
    return rendered({kSpeed,
                     {{"ttft", speed.ttft_s.mid},
                      {"tpot", whole(speed.tpot_s.mid * 1000)},
                      {"low", whole(speed.tpot_s.low * 1000)},
                      {"high", whole(speed.tpot_s.high * 1000)},
                      {"rate", whole(speed.output_tokens_s.mid)},
                      {"basis", basis}}},
                    language_);
  }

  // The best one, and those that have a name.
  void add_best() {
    bool first = true;
    for (const Plan& plan : page_.answer.plans) {
      if (!plan.fits) {
        add_unfit(plan);
        continue;
      }
      if (first || !plan.named.empty() || page_.style.all) add_plan(plan, first ? kBest : kPlan);
      first = false;
    }
  }

  void add_memory() {
    for (const Plan& plan : page_.answer.plans) {
      if (plan.budget().gpus.empty()) continue;
      blank();
      out_ += printable(rendered({kMemory, {{"label", plan.shown}}}, language_)) + '\n';
      out_ += budget_page(plan.budget_by_number(), language_);
    }
  }

  void add_assumed() {
    std::vector<Message> assumed = page_.asked.assumed;
    for (const Message& message : page_.asked.first().host().assumed) assumed.push_back(message);
    for (const Message& message : page_.asked.first().model().assumed) assumed.push_back(message);
    if (assumed.empty()) return;
    blank();
    out_ += said(kAssumed) + '\n';
    for (const Message& message : assumed) paragraph(said(message), 2);
  }

  const PlanPage& page_;
  Language language_;
  Painter paint_;
  std::string out_;
};

}  // namespace

std::string plan_text(const PlanPage& page) { return Page(page).text(); }

}  // namespace sx
