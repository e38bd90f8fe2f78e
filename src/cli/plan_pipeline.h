// `sextant plan` of a diffusion pipeline's folder: components, which cards hold them, programs and
// commands.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "diag/render.h"
#include "gather/gather_case.h"
#include "plan/pipeline_plan.h"

namespace sx {

struct GatheredPipeline {
  std::string model, kind;  // as asked, and the class that model_index.json names
  std::vector<PipelinePart> parts;
  std::unique_ptr<GatheredCases> launch;  // for its machine
  PipelineAnswer answer;
  std::int64_t microseconds = 0;  // of the planning

  const HostSpec& host() const { return launch->cases.front().host(); }
};

// Nothing: what was asked for is no such folder.
std::optional<Result<GatheredPipeline>> gather_pipeline(const Arguments& arguments,
                                                        const Session& session);

// Says the answer and returns the exit code.
int answer_pipeline(const GatheredPipeline& found, const Arguments& arguments, const Style& style,
                    Session& session);

// "6 x one GPU", "one picture over 4 GPUs".
Both shown_label(const PipelineServing& plan);

std::string pipeline_json(const GatheredPipeline& found);  // sextant.plan/1
// For people; `markdown`: for an issue or a wiki.
std::string pipeline_page(const GatheredPipeline& found, const Style& style, bool markdown);

}  // namespace sx
