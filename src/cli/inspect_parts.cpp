// Models of several parts: a vision tower beside a language model, and pipelines that are no
// language model at all.
#include "cli/inspect_page.h"
#include "fit/checkpoint.h"

namespace sx {

Bytes PipelinePart::bytes() const {
  Bytes sum;
  for (const WeightFile& file : files.files) {
    if (file.state != FileState::Extra) sum += file.bytes;
  }
  return sum;
}

namespace {

constexpr Text kVision{"Vision tower: {bytes}", "视觉塔：{bytes}"};
constexpr Text kTowerSplit{
    "It is built on every GPU of the first pipeline stage. Split over its ranks (the default) it "
    "needs heads that divide: {heads} do by {sizes}; --mm-encoder-tp-mode data keeps it whole on "
    "each, {bytes} a GPU, shares out the pictures of a batch instead, and needs no all-reduce.",
    "它位于第一个流水级的每张 GPU 上。默认按 rank 切分，要求头数能整除：{heads} 个头可用 {sizes}；"
    "--mm-encoder-tp-mode data 让每张 GPU 各放一份完整的视觉塔（每张 {bytes}），改为分摊一批里的"
    "图片，不需要 all-reduce。"};
constexpr Text kTowerWithout{
    "A launch that takes text alone leaves it out with --language-model-only.",
    "只处理文本的服务可用 --language-model-only 省去它。"};
constexpr Text kParts{"Components", "组件"};

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
  Bytes tower;
  for (const PartSum& sum : sums_by_part(found.model)) {
    if (sum.part == TensorPlace::Part::Vision) tower = sum.sum.bytes;
  }
  const Fact<int>& heads = found.model.vision.heads;
  if (tower == Bytes{} || !heads.known() || heads.value() <= 0) return;
  page.heading({kVision, {{"bytes", tower}}});
  page.line(
      {kTowerSplit,
       {{"heads", heads.value()}, {"sizes", sizes_that_divide(heads.value())}, {"bytes", tower}}});
  page.line(kTowerWithout);
}

void add_parts(Page& page, const Inspection& found) {
  if (found.parts.empty()) return;
  page.heading(kParts);
  std::vector<std::vector<std::string>> rows;
  for (const PipelinePart& part : found.parts) {
    rows.push_back({printable(part.name), printable(part.type), page.in(Value{part.bytes()})});
  }
  page.rows(rows, {Align::Left, Align::Left, Align::Right});
}

}  // namespace sx
