// Components and cards first, then what is to be decided: replicas, or one picture over several
// GPUs; then the commands of each program.
#include <algorithm>

#include "base/strings.h"
#include "cli/plan_pipeline.h"
#include "fit/checkpoint.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr Text kHead{
    "{model}{kind} on {machine}: {bytes} of weights, as they are stored; it makes pictures and has "
    "no KV cache",
    "{model}{kind}，{machine}：权重共 {bytes}（按存储格式）；它生成图片，没有 KV 缓存"};
constexpr Text kNoWeights{"no weights", "无权重"};
constexpr Text kNotThere{"not there", "不存在"};
constexpr Text kAllHold{
    "each of GPUs {gpus} holds the whole pipeline: at least {left} are left for the CUDA context "
    "and "
    "the activations of a picture, which grow with its size and are not worked out here",
    "GPU {gpus} 每张都放得下整条流水线：至少还剩 {left} 给 CUDA 上下文和一张图片的激活值；"
    "激活值随图片尺寸增大，这里不作计算"};
constexpr Text kPlaced{
    "no GPU holds the whole pipeline ({bytes}; the most that is free is {free}); its components "
    "fit "
    "one after the other, each whole on one GPU:",
    "没有一张 GPU 放得下整条流水线（{bytes}，单卡最多空闲 {free}）；可以把组件逐个放到几张 GPU "
    "上，每个组件完整地放在一张卡上："};
constexpr Text kOnGpu{"{name} ({bytes}) on GPU {gpu}", "{name}（{bytes}）放在 GPU {gpu}"};
constexpr Text kPlacedBy{
    "this saves memory, not time: a picture passes through the GPUs in turn. Programs that place "
    "components: ",
    "这样省显存，不省时间：一张图片依次经过这些 GPU。可以按组件放置的程序："};
constexpr Text kNothing{
    "nothing fits: the largest component, {largest}, takes {size}, the weights take {bytes} in "
    "all, "
    "and the GPUs have {free} free, at most {most} on one of them",
    "放不下：最大的组件 {largest} 需要 {size}，权重共需 {bytes}，而 GPU 合计空闲 {free}，单卡最多 "
    "{most}"};
constexpr Text kWhich{
    "{replicas} replicas serve {replicas} pictures at once, with nothing passing between them: the "
    "most pictures in all. One picture over several GPUs is quicker for that picture and makes "
    "fewer "
    "in all: for when one picture must be quick.",
    "{replicas} 个副本同时处理 {replicas} 张图片，彼此之间没有通信，总吞吐最高。一张图片用多张 GPU "
    "时单张更快，总吞吐更低，只适合要求单张延迟的场景。"};
constexpr Text kDivides{
    "each of them holds the whole pipeline; its {heads} heads divide by {count}",
    "每张都放完整的流水线；{heads} 个头可被 {count} 整除"};
constexpr Text kTwo{
    "each of them holds the whole pipeline; its heads are not known, two GPUs divide nearly all",
    "每张都放完整的流水线；头数未知，几乎所有模型都能用 2 张"};
constexpr Text kLikewise{"and {count} more like it, each on its GPU and port",
                         "其余 {count} 个相同，各用自己的 GPU 和端口"};
constexpr Text kName{"component", "组件"};
constexpr Text kClass{"class", "类"};
constexpr Text kType{"type", "类型"};
constexpr Text kWeights{"weights", "权重"};
constexpr Text kReplicas{"{count} x one GPU", "{count} 个单卡副本"};
constexpr Text kOneReplica{"one GPU", "单张 GPU"};
constexpr Text kOverSeveral{"one picture over {count} GPUs", "一张图片用 {count} 张 GPU"};
constexpr Text kPlan{"{label} with {program}", "{label}（{program}）"};
constexpr Text kBest{"best: {label} with {program}", "最合适：{label}（{program}）"};
constexpr Text kFree{"GPUs {gpus} stay free", "GPU {gpus} 空闲"};

class Page {
 public:
  Page(const GatheredPipeline& found, const Style& style, bool markdown)
      : found_(found), answer_(found.answer), style_(style), markdown_(markdown) {}

  std::string text() {
    const std::string kind = found_.kind.empty() ? "" : " (" + found_.kind + ')';
    say({kHead,
         {{"model", found_.model},
          {"kind", kind},
          {"machine", found_.host().name},
          {"bytes", answer_.weights}}});
    add_parts();
    out_ += '\n';
    add_verdict();
    for (const PipelineServing& plan : answer_.plans) add_plan(plan);
    return std::move(out_);
  }

 private:
  std::string in(const Value& value) const { return rendered(value, style_.language); }

  void say(const Message& message) {
    const std::string line = printable(rendered(message, style_.language));
    if (markdown_) {
      out_ += escaped(line) + "\n";
      return;
    }
    for (const std::string& part : wrapped(line, style_.width)) out_ += part + '\n';
  }

  // A cell must not end the cell or begin markup.
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '|' || c == '<' || c == '\\' || c == '`' || c == '*' || c == '_') out += '\\';
      out += c;
    }
    return out;
  }

  void add_parts() {
    std::vector<std::vector<std::string>> rows{
        {in(Value{kName}), in(Value{kClass}), in(Value{kType}), in(Value{kWeights})}};
    for (const PipelinePart& part : found_.parts) {
      const auto types = sums_by_dtype(part.files);
      rows.push_back({printable(part.name), printable(part.type),
                      types.empty() ? "" : printable(types.front().dtype),
                      part.bytes() > Bytes{0} ? in(Value{part.bytes()})
                                              : in(Value{part.there ? kNoWeights : kNotThere})});
    }
    out_ += '\n';
    if (!markdown_) {
      out_ += table(rows, {Align::Left, Align::Left, Align::Left, Align::Right}, 2);
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_ += '|';
      for (const std::string& cell : rows[i]) out_ += ' ' + escaped(cell) + " |";
      out_ += '\n';
      if (i == 0) out_ += "| --- | --- | --- | ---: |\n";
    }
  }

  void add_verdict() {
    if (!answer_.plans.empty()) return say_holding();
    Bytes most, all;
    for (const PipelineCard& card : answer_.cards) {
      most = std::max(most, card.free);
      all += card.free;
    }
    const PipelinePart* largest = largest_of(found_.parts);
    if (answer_.placed.empty()) {
      if (largest != nullptr && !answer_.cards.empty())
        say({kNothing,
             {{"largest", largest->name},
              {"size", largest->bytes()},
              {"bytes", answer_.weights},
              {"free", all},
              {"most", most}}});
      return;
    }
    say({kPlaced, {{"bytes", answer_.weights}, {"free", most}}});
    for (const PlacedComponent& one : answer_.placed) {
      out_ += markdown_ ? "- " : "  ";
      say({kOnGpu, {{"name", one.part->name}, {"bytes", one.part->bytes()}, {"gpu", one.gpu}}});
    }
    out_ += '\n';
    say(kPlacedBy);
    const bool english = style_.language == Language::English;
    for (const PipelineProgram& program : pipeline_programs()) {
      // A program that cuts nothing is one that places.
      if (!program.several_gpus.empty()) continue;
      const std::string words = std::string(program.shown) + (english ? ": " : "：") +
                                std::string(english ? program.words : program.words_chinese);
      constexpr Text kWords{"{words}", "{words}"};
      out_ += markdown_ ? "- " : "  ";
      say({kWords, {{"words", words}}});
    }
  }

  void say_holding() {
    std::vector<int> holding;
    std::optional<Bytes> least;
    for (const PipelineCard& card : answer_.cards) {
      if (!card.holds_all) continue;
      holding.push_back(card.gpu);
      const Bytes left = card.free - answer_.weights;
      least = least ? std::min(*least, left) : left;
    }
    say({kAllHold, {{"gpus", join(holding)}, {"left", least.value_or(Bytes{})}}});
    if (holding.size() < 2) return;
    out_ += '\n';
    say({kWhich, {{"replicas", holding.size()}}});
  }

  void add_plan(const PipelineServing& plan) {
    const bool best = &plan == &answer_.plans.front();
    const std::string title = rendered(
        {best ? kBest : kPlan, {{"label", shown_label(plan)}, {"program", plan.program->shown}}},
        style_.language);
    out_ += '\n' + (markdown_ ? "### " + escaped(title) + "\n" : printable(title)) + '\n';
    if (plan.gpus_each > 1) {
      if (!markdown_) out_ += "  ";
      say(answer_.heads > 0
              ? Message{kDivides, {{"heads", answer_.heads}, {"count", plan.gpus_each}}}
              : Message{kTwo});
    }
    if (markdown_) out_ += "```sh\n";
    // Replicas of the best program are there to be pasted; of the others one shows how.
    const std::size_t shown = best || markdown_ ? plan.commands.size() : 1;
    for (std::size_t i = 0; i < plan.commands.size() && i < shown; ++i)
      out_ += (markdown_ ? "" : "    ") + printable(plan.commands[i]) + '\n';
    if (markdown_) out_ += "```\n";
    if (shown < plan.commands.size()) {
      out_ += "  ";
      say({kLikewise, {{"count", plan.commands.size() - shown}}});
    }
    if (!plan.idle.empty()) {
      if (!markdown_) out_ += "  ";
      say({kFree, {{"gpus", join(plan.idle)}}});
    }
  }

  const GatheredPipeline& found_;
  const PipelineAnswer& answer_;
  const Style& style_;
  bool markdown_;
  std::string out_;
};

}  // namespace

Both shown_label(const PipelineServing& plan) {
  if (plan.gpus_each > 1) return in_both({kOverSeveral, {{"count", plan.gpus_each}}});
  if (plan.replicas == 1) return in_both({kOneReplica});
  return in_both({kReplicas, {{"count", plan.replicas}}});
}

std::string pipeline_page(const GatheredPipeline& found, const Style& style, bool markdown) {
  return Page(found, style, markdown).text();
}

}  // namespace sx
