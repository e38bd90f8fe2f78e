// Models of several parts: a vision tower beside a language model, and pipelines that are no
// language model at all.
#include "base/strings.h"
#include "cli/inspect_page.h"
#include "fit/checkpoint.h"
#include "fit/vision_tower.h"
#include "knowledge/pipeline_programs.h"
#include "read/shell_words.h"

namespace sx {

namespace {

constexpr Text kVision{"Vision tower: {bytes}", "视觉编码器：{bytes}"};
constexpr Text kTowerSplit{
    "It sits on the GPUs of the first pipeline stage. Split over its ranks (the default) it "
    "needs heads that divide: {heads} do by {sizes}; --mm-encoder-tp-mode data keeps it whole on "
    "each, {bytes} a GPU, shares out the pictures of a batch instead, and needs no all-reduce.",
    "它位于第一个流水级的每张 GPU 上。默认按 rank 切分，要求头数能整除：{heads} 个头可用 {sizes}；"
    "--mm-encoder-tp-mode data 让每张 GPU 各放一份完整的视觉编码器（每张 "
    "{bytes}），改为分摊一批里的"
    "图片，不需要 all-reduce。"};
constexpr Text kTowerWithout{
    "A launch that takes text alone leaves it out with --language-model-only.",
    "只处理文本的服务可用 --language-model-only 省去它。"};
constexpr Text kParts{"Components: {bytes} of weights in all, as they are stored",
                      "组件：权重合计 {bytes}（按存储格式）"};
constexpr Text kNoPart{"not there", "不存在"};
constexpr Text kReplicas{
    "A GPU with more than {bytes} and room for one picture holds the whole pipeline: one replica a "
    "GPU serves as many pictures at once as there are GPUs, and nothing passes between them. "
    "Splitting one picture over GPUs makes that picture quicker and all of them together slower; "
    "it "
    "is for when one picture must be quick.",
    "显存超过 {bytes} 并能容纳一张图片的激活值的 GPU，就放得下整条流水线：每张 GPU "
    "一个副本，有几张 GPU "
    "就能同时处理几张图片，彼此之间没有通信。把一张图片切到多张 GPU "
    "上，单张更快，总吞吐更低，只适合要求"
    "单张延迟的场景。"};
constexpr Text kPlacing{
    "Where it does not fit, the components go to several GPUs one after the other: the largest is "
    "{largest} ({size}). What a text encoder hands on is a few MiB a picture, one way, so any link "
    "carries it.",
    "放不下时可以把组件依次放到几张 GPU 上：最大的是 "
    "{largest}（{size}）。文本编码器每张图片只单向传出几 "
    "MiB，任何链路都够用。"};
constexpr Text kPrograms{"Programs that run it (none of them has a KV cache to plan)",
                         "可以运行它的程序（都没有需要规划的 KV 缓存）"};
constexpr Text kSaid{"{words}", "{words}"};
constexpr Text kOne{"one replica a GPU:", "每张 GPU 一个副本："};
constexpr Text kSeveral{"one picture over 2 GPUs:", "一张图片用 2 张 GPU："};

std::string sizes_that_divide(int heads) {
  std::string sizes;
  constexpr int kMost = 16;
  for (int tp = 2; tp <= kMost; ++tp) {
    if (heads % tp != 0) continue;
    if (!sizes.empty()) sizes += ", ";
    sizes += std::to_string(tp);
  }
  return sizes.empty() ? "1" : sizes;
}

}  // namespace

void add_vision(Page& page, const Inspection& found) {
  const Bytes tower = vision_tower_bytes(found.model);
  const Fact<int>& heads = found.model.vision.heads;
  if (tower <= Bytes{} || !heads.known() || heads.value() <= 0) return;
  page.heading({kVision, {{"bytes", tower}}});
  page.line(
      {kTowerSplit,
       {{"heads", heads.value()}, {"sizes", sizes_that_divide(heads.value())}, {"bytes", tower}}});
  page.line(kTowerWithout);
}

namespace {

void add_programs(Page& page, const std::string& model) {
  page.heading(kPrograms);
  const auto command = [&](Text title, std::string_view pattern) {
    if (pattern.empty()) return;
    const std::string filled =
        replaced(replaced(pattern, "{model}", shell_quoted(model)), "{gpus}", "2");
    page.text += "    " + page.in(title) + ' ' + printable(filled) + '\n';
  };
  for (const PipelineProgram& program : pipeline_programs()) {
    const Both words{std::string(program.shown) + ": " + std::string(program.words),
                     std::string(program.shown) + "：" + std::string(program.words_chinese)};
    page.line({kSaid, {{"words", words}}});
    command(kOne, program.one_gpu);
    command(kSeveral, program.several_gpus);
  }
}

}  // namespace

bool makes_text(const Inspection& found) {
  // The catalogue's word for a pipeline's main component.
  const bool picture_model = found.model.model_type.value_or("") == "diffusion";
  return found.parts.empty() && !picture_model && !found.model.pipeline_class.known();
}

void add_parts(Page& page, const Inspection& found) {
  if (makes_text(found)) return;
  if (found.parts.empty()) return add_programs(page, found.model.id);
  const Bytes all = weights_of(found.parts);
  const PipelinePart* largest = largest_of(found.parts);
  std::vector<std::vector<std::string>> rows;
  for (const PipelinePart& part : found.parts) {
    const Bytes bytes = part.bytes();
    const auto types = sums_by_dtype(part.files);
    rows.push_back({printable(part.name), printable(part.type),
                    types.empty() ? "" : printable(types.front().dtype),
                    bytes > Bytes{0} ? page.in(Value{bytes}) : std::string()});
    if (!part.there) rows.back().push_back(page.in(kNoPart));
  }
  page.heading({kParts, {{"bytes", all}}});
  page.rows(rows, {Align::Left, Align::Left, Align::Left, Align::Right, Align::Left});
  if (largest != nullptr) {
    page.text += '\n';
    page.line({kReplicas, {{"bytes", all}}});
    page.line({kPlacing, {{"largest", largest->name}, {"size", largest->bytes()}}});
  }
  add_programs(page, found.model.id);
}

}  // namespace sx
