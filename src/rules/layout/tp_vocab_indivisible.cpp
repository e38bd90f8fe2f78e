// SX2105. The long explanation and the scenes are in tp_vocab_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "engines/engine.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"a vocabulary of {padded} rows cannot be split over {tp} GPUs",
                      "{padded} 行的词表无法平均分到 {tp} 张 GPU"};
constexpr Text kLeaves{"{padded} / {tp} leaves {left} over", "{padded} / {tp} 余 {left}"};
constexpr Text kBasis{
    "{vocabulary} tokens ({origin}), padded to {padded}, the next multiple of {unit}",
    "词表 {vocabulary}（{origin}），补齐到 {unit} 的整数倍即 {padded}"};
constexpr Text kWhole{"{vocabulary} tokens: {origin}", "词表 {vocabulary}：{origin}"};
constexpr Text kBecause{
    "embedding and output layer are cut by rows of the padded vocabulary, the same number a rank",
    "嵌入层和输出层按补齐后的词表行数平均切给各 rank"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop: \"{padded} is not divisible "
    "by {tp}\"",
    "各 rank 在构建模型时（尚未加载权重）退出：“{padded} is not divisible by {tp}”"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelVocabulary};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2105");

// The config's number, and how it became the one that is cut.
void say_where_from(Diagnostic& d, const Case& c, const SplitProblem& reason) {
  const Fact<int>& vocabulary = c.model().vocab_size;
  const Argument tokens("vocabulary", vocabulary.value());
  const Argument origin("origin", model_origin(c.model()));
  if (vocabulary.value() == reason.size) return also(d, vocabulary, {}, {kWhole, {tokens, origin}});
  if (vocabulary.span()) mark(d, vocabulary, {});
  const int unit = find_engine(c.serve.engine)->split_ask(c, Layout{}).vocabulary_padding;
  d.basis.push_back({kBasis, {tokens, origin, {"padded", reason.size}, {"unit", unit}}});
}

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::Vocabulary});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"padded", reason.size}, {"tp", reason.parts}}};
  mark_ranks(d, c,
             {kLeaves, {{"padded", reason.size}, {"tp", reason.parts}, {"left", reason.left}}});
  say_where_from(d, c, reason);
  say_what_else(d, c,
                {SplitKind::Heads, SplitKind::KvHeads, SplitKind::LinearHeads, SplitKind::Width,
                 SplitKind::ExpertWidth, SplitKind::SharedWidth, SplitKind::Vocabulary});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"padded", reason.size}, {"tp", reason.parts}}};
  propose_other_layouts(c, complaint, reason.kind);
  return {complaint};
}

}  // namespace

extern const Rule tp_vocab_indivisible{
    .code = "SX2105",
    .name = "tp-vocab-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
