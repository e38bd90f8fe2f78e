// Programs that can serve a diffusion pipeline (data/pipeline_programs.tsv).
#pragma once

#include <span>
#include <string_view>

namespace sx {

struct PipelineProgram {
  std::string_view name, shown;
  std::string_view one_gpu;       // command for a replica on one GPU, with {model}; empty: none
  std::string_view several_gpus;  // and for one picture over {gpus} of them; empty: it cannot
  std::string_view port;          // flag and first port: "--port 8000"; empty: no server
  std::string_view words, words_chinese;
};

std::span<const PipelineProgram> pipeline_programs();

}  // namespace sx
