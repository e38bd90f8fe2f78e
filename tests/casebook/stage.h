// Sets a scene up in memory and asks `check` about it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "casebook/page.h"
#include "diag/render.h"
#include "gather/gather_case.h"
#include "sys/files.h"

namespace sx::casebook {

// Everything that one answer needs; lives as long as the answer is looked at.
struct Stage {
  MemoryFiles files;
  Outside outside;
  CommandAsk command;
  HostAsk host;
};

// Blocks: `machine` (either `on: 6xL40S`, `gpus: 8`, `shm: 64MiB`, `free: 0=20GiB`, `driver:`,
// `cuda:`, `ports: 8000, 127.0.0.1:8001` lines, or pasted text), `topology` (topo -m text),
// `options` (`--engine-version 0.8.5`), `command`, `serve.sh` (or any *.sh, *.yaml, *.yml,
// *.service, *.container without a slash in its name: read with -f), `environment` (NAME=value
// lines), `permissions` (lines `640 /etc/vllm/keys.env`, of files and folders),
// `safetensors NAME` (lines `tensor DTYPE 10x20`, `cut: 100`), `gguf NAME` (stage_gguf.h),
// and any other name with a dot: a file in the model's folder, or where its slash says.
std::unique_ptr<Stage> set_stage(const Scene& scene);

// A block whose text is a launch that is read with -f.
bool is_launch_file(std::string_view info);

// The same stage with another command line.
Result<std::unique_ptr<GatheredCases>> ask(const Stage& stage);
Result<std::unique_ptr<GatheredCases>> ask_instead(const Stage& stage,
                                                   const std::string& command_line);

}  // namespace sx::casebook
