// The question: the folder's components, the machine, and the contradictions of `plan` in general.
#include "cli/plan_pipeline.h"

#include <chrono>

#include "base/strings.h"
#include "cli/plan_ask.h"
#include "gather/model_places.h"
#include "gather/pipeline.h"

namespace sx {
namespace {

constexpr Text kNoGpus{"the machine's GPUs are not known: --on names a machine, as in --on 4xL40S",
                       "机器上的 GPU 未知：可用 --on 指定机器，如 --on 4xL40S"};
constexpr Text kNoNumber{
    "--gpus: '{said}' is not a whole number from 1 to {have}, which the machine has",
    "--gpus：'{said}' 不是 1 到 {have} 之间的整数（机器有 {have} 张 GPU）"};
constexpr Text kUnknown{
    "what fits cannot be worked out: the memory of a GPU or the size of the weights is not known",
    "无法算出放得下什么：有 GPU 的显存未知，或权重大小未知"};

Result<GatheredPipeline> gathered(std::vector<PipelinePart> parts, const std::string& model,
                                  const Arguments& arguments, const Session& session) {
  GatheredPipeline found;
  found.model = model;
  found.parts = std::move(parts);
  SX_TRY(found.launch, bare_launch(arguments, "vllm", model, session.outside));
  const HostSpec& host = found.host();
  found.kind = found.launch->cases.front().model().pipeline_class.value_or("");
  if (host.gpus.empty()) return fail(Error::Kind::Absent, in_both({kNoGpus}));
  PipelineAsk ask{.model = model, .parts = &found.parts, .host = &host, .gpus = 0};
  if (const auto said = arguments.value("--gpus")) {
    const auto gpus = to_integer(*said);
    if (!gpus || *gpus < 1 || *gpus > static_cast<std::int64_t>(host.gpus.size()))
      return fail(
          Error::Kind::Usage,
          in_both({kNoNumber, {{"said", said->substr(0, 40)}, {"have", host.gpus.size()}}}));
    ask.gpus = static_cast<int>(*gpus);
  }
  const auto begin = std::chrono::steady_clock::now();
  found.answer = plan_pipeline(ask);
  found.microseconds = std::chrono::duration_cast<std::chrono::microseconds>(
                           std::chrono::steady_clock::now() - begin)
                           .count();
  return found;
}

}  // namespace

std::optional<Result<GatheredPipeline>> gather_pipeline(const Arguments& arguments,
                                                        const Session& session) {
  if (arguments.words.size() != 1) return {};
  const std::string& model = arguments.words.front();
  const ModelPlace place = find_model(model, session.outside);
  if (place.folder.empty() || !place.file.empty()) return {};
  auto parts = pipeline_parts(place.folder, *session.outside.files);
  if (parts.empty()) return {};
  return gathered(std::move(parts), model, arguments, session);
}

int answer_pipeline(const GatheredPipeline& found, const Arguments& arguments, const Style& style,
                    Session& session) {
  const std::string format = arguments.value("--format").value_or("text");
  session.output.answer(format == "json" ? pipeline_json(found)
                                         : pipeline_page(found, style, format == "markdown"));
  if (found.answer.fits()) return kDone;
  if (!found.answer.memory_unknown) return kFindings;
  session.output.trouble(trouble_line(rendered(Message(kUnknown), style.language), style.language));
  return kCouldNot;
}

}  // namespace sx
