// `nvidia-smi -L`, and what collect_env reports of torch, vLLM and SGLang say: cards, versions,
// environment variables.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "read/machine_text_fields.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostSettings = 1000;

// Variables that matter to a launch; others of a report are taken only inside its own section.
bool matters(std::string_view name) {
  constexpr std::array<std::string_view, 11> kFronts{
      "NCCL_",   "CUDA_", "VLLM_",           "SGLANG_", "TORCH_", "PYTORCH_",
      "NVIDIA_", "HF_",   "LD_LIBRARY_PATH", "GLOO_",   "OMP_"};
  return std::ranges::any_of(kFronts,
                             [&](std::string_view front) { return name.starts_with(front); });
}

bool is_variable(std::string_view name) {
  return !name.empty() && name.size() <= 128 && (name.front() < '0' || name.front() > '9') &&
         name.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

bool is_told(std::string_view value) {
  return !value.empty() && value != "Could not collect" && value != "N/A" && value != "No CUDA";
}

// "0" or "0,1,2,3" in front of the colon.
std::vector<int> indices_of(std::string_view text) {
  std::vector<int> indices;
  for (const std::string_view part : split(text, ',')) {
    const auto index = to_integer(trimmed(part));
    if (!index || *index < 0 || *index >= static_cast<long long>(kMostPastedGpus)) return {};
    indices.push_back(static_cast<int>(*index));
  }
  return indices;
}

}  // namespace

void ReportParser::take_gpu(const PastedLine& line, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos) return;
  std::string_view name = trimmed(text.substr(colon + 1));
  std::string_view uuid;
  if (const auto bracket = name.find("(UUID:"); bracket != name.npos) {
    uuid = trimmed(name.substr(bracket + 6));
    uuid = uuid.substr(0, uuid.find(')'));
    name = trimmed(name.substr(0, bracket));
  }
  // "GPU 0: 37% busy" is a line of some log.
  if (uuid.empty() && !looks_like_card(name) && !report_) return;
  if (name.empty() || name.size() > 100) return;
  for (const int index : indices_of(text.substr(4, colon - 4))) {
    const bool told =
        std::ranges::any_of(gpus, [&](const PastedGpu& gpu) { return gpu.index == index; });
    if (told || gpus.size() >= kMostPastedGpus) continue;
    PastedGpu gpu;
    gpu.index = index;
    set_field(gpu, SmiField::Name, name, "");
    gpu.uuid = std::string(uuid);
    gpu.span = line.span;
    gpus.push_back(std::move(gpu));
  }
}

void ReportParser::take_versions(const PastedLine& line, std::string_view text,
                                 PastedParts& parts) {
  const auto keep = [&](Told<std::string>& into, std::string_view label) {
    if (into || !text.starts_with(label)) return;
    const std::string word = word_after(text, label);
    if (is_told(word) && word.front() >= '0' && word.front() <= '9') tell(into, word, line);
  };
  keep(parts.state.vllm, "vLLM Version");
  keep(parts.state.vllm, "vllm:");
  keep(parts.state.sglang, "sglang:");
  keep(parts.state.torch, "PyTorch version");
  keep(parts.state.torch, "PyTorch:");
  keep(parts.state.torch_cuda, "CUDA used to build PyTorch");
  keep(parts.state.python, "Python version");
  keep(parts.state.python, "Python:");
}

// "[pip3] torch==2.8.0", "[conda] torch 2.8.0 pypi_0 pypi", and the line of `pip freeze`.
void ReportParser::take_package(const PastedLine& line, std::string_view text, PastedParts& parts) {
  const bool conda = text.starts_with("[conda] ");
  const bool pip = text.starts_with("[pip3] ") || text.starts_with("[pip] ");
  if (conda || pip) text = trimmed(text.substr(text.find(']') + 1));
  const auto end = conda ? text.find(' ') : text.find("==");
  if (end == text.npos || end == 0 || end > 60) return;
  const std::string_view name = text.substr(0, end);
  const std::string version = first_word(text.substr(end + (conda ? 0 : 2)));
  if (version.empty() || version.size() > 60 || version.front() < '0' || version.front() > '9')
    return;
  if (name.find_first_of(" \t=/\"'$") != name.npos) return;
  if (!parts.state.packages) parts.state.packages = {std::vector<Package>{}, line.span};
  auto& all = *parts.state.packages.value;
  if (all.size() >= kMostSettings) return;
  all.emplace_back(std::string(name), version);
  if (name.starts_with("nvidia-nccl-cu")) tell(parts.state.nccl, version, line);
  if (name == "torch") tell(parts.state.torch, version, line);
  if (name == "vllm") tell(parts.state.vllm, version, line);
  if (name == "sglang") tell(parts.state.sglang, version, line);
}

bool ReportParser::take_setting(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos || environment.size() >= kMostSettings) return false;
  const std::string_view name = text.substr(0, equals);
  if (!is_variable(name) || !(settings_ || matters(name))) return false;
  environment.emplace_back(std::string(name), std::string(trimmed(text.substr(equals + 1))));
  return true;
}

void ReportParser::take(const PastedLine& line, PastedParts& parts) {
  std::string_view text = without_marks(line.text);
  if (text.size() < 4) return;
  // torch puts the first card behind the heading.
  constexpr std::string_view kCards = "GPU models and configuration";
  if (text.starts_with(kCards)) text = rest_after(text, kCards);
  if (text.starts_with("GPU ")) {
    take_gpu(line, text);
    return;
  }
  if (text.starts_with("MIG ") && text.find("(UUID: MIG-") != text.npos && !gpus.empty()) {
    gpus.back().mig = true;
    return;
  }
  if (text.starts_with("Collecting environment information") ||
      text.starts_with("PyTorch version") || text.starts_with("vLLM Version") ||
      text.starts_with("Is CUDA available") || text.starts_with("CUDA available")) {
    report_ = true;
  }
  if (text.starts_with("Nvidia driver version") && parts.driver.empty()) {
    const std::string driver = word_after(text, "Nvidia driver version");
    if (is_version(driver)) parts.driver = driver;
  }
  if (text.starts_with("CUDA Driver Version") && parts.driver.empty()) {
    const std::string driver = word_after(text, "CUDA Driver Version");
    if (is_version(driver)) parts.driver = driver;
  }
  take_versions(line, text, parts);
  if (text.starts_with('[') || text.find("==") != text.npos) take_package(line, text, parts);
  if (text.starts_with("Environment Variables")) {
    settings_ = true;
    return;
  }
  if (settings_ && (text.starts_with("</details") || text.starts_with("### "))) settings_ = false;
  if (report_ || settings_) take_setting(text);
}

}  // namespace sx
