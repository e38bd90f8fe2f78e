// Flag and checkpoint → the engine's name of the format, its rows in the table, and words for it.
#include "rules/model/number_format.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kByFlag{"asks for {format}", "要求使用 {format}"};
constexpr Text kCheckpoint{"a checkpoint with {format}", "检查点是 {format}"};
constexpr Text kBasis{"{method}: {origin}", "{method}：{origin}"};
constexpr Text kBasisFormat{"{method}, {format}: {origin}", "{method}，{format}：{origin}"};

bool has(std::string_view text, std::string_view word) {
  return lower(text).find(word) != std::string::npos;
}

bool is_fp8_method(std::string_view method) { return has(method, "fp8") || method == "modelopt"; }

// What a format of compressed-tensors is called in the table.
std::string compressed_scheme(const Quantisation& quantisation) {
  const std::string& format = quantisation.format;
  if (has(format, "nvfp4")) return "compressed-tensors nvfp4";
  if (has(format, "mxfp4")) return "compressed-tensors mxfp4";
  if (has(format, "marlin-24")) return "compressed-tensors marlin-24";
  if (format == "pack-quantized") return "compressed-tensors packed";
  if (format == "int-quantized") return "compressed-tensors int8";
  const bool fp8 = format == "float-quantized" || lower(format) == "fp8";
  return fp8 ? "compressed-tensors fp8" : "";
}

std::string scheme_of(const ModelSpec& model, std::string_view method) {
  const Quantisation& quantisation = model.quantisation.value();
  if (method == "compressed-tensors") return compressed_scheme(quantisation);
  if (method != "fp8") return {};
  if (quantisation.block_rows.value_or(0) > 0) return "fp8 block";
  return model.is_moe() ? "fp8 experts" : "";
}

std::optional<ComputeCapability> capability_of(QuantisationKind kind, std::string_view name,
                                               const ServeSpec& serve, const Version& version) {
  const QuantisationRow* row = quantisation_in(serve.engine, kind, name, version);
  return row == nullptr ? std::nullopt : row->capability;
}

std::optional<ComputeCapability> needed_in(const NumberFormat& format, const ServeSpec& serve,
                                           const Version& version) {
  const auto method = capability_of(QuantisationKind::Method, format.method, serve, version);
  const auto scheme = capability_of(QuantisationKind::Scheme, format.scheme, serve, version);
  return std::max(method, scheme);  // a missing one counts as the smallest
}

struct Family {
  std::string_view method;
  Text words;
};

// Rare methods go by their own names.
constexpr std::array<Family, 15> kFamilies{
    {{"fp8", {"FP8 weights", "FP8 权重"}},
     {"modelopt", {"FP8 weights", "FP8 权重"}},
     {"fp8_per_tensor", {"FP8 weights", "FP8 权重"}},
     {"fp8_per_channel", {"FP8 weights", "FP8 权重"}},
     {"fp8_per_block", {"FP8 weights", "FP8 权重"}},
     {"modelopt_fp4", {"NVFP4 weights", "NVFP4 权重"}},
     {"mxfp4", {"MXFP4 weights", "MXFP4 权重"}},
     {"gpt_oss_mxfp4", {"MXFP4 weights", "MXFP4 权重"}},
     {"awq", {"AWQ weights", "AWQ 权重"}},
     {"awq_marlin", {"AWQ weights", "AWQ 权重"}},
     {"gptq", {"GPTQ weights", "GPTQ 权重"}},
     {"gptq_marlin", {"GPTQ weights", "GPTQ 权重"}},
     {"bitsandbytes", {"bitsandbytes weights", "bitsandbytes 权重"}},
     {"compressed-tensors", {"compressed-tensors weights", "compressed-tensors 权重"}},
     {"modelopt_mixed", {"weights in FP8 and NVFP4", "FP8 与 NVFP4 混合权重"}}}};

constexpr std::array<Family, 6> kSchemes{
    {{"fp8 block", {"block-scaled FP8 weights", "FP8 分块缩放权重"}},
     {"fp8 experts", {"FP8 experts", "FP8 专家权重"}},
     {"compressed-tensors fp8", {"FP8 weights", "FP8 权重"}},
     {"compressed-tensors int8", {"INT8 weights", "INT8 权重"}},
     {"compressed-tensors nvfp4", {"NVFP4 weights", "NVFP4 权重"}},
     {"compressed-tensors mxfp4", {"MXFP4 weights", "MXFP4 权重"}}}};

}  // namespace

std::string engine_method(const ServeSpec& serve, const Quantisation& quantisation) {
  const std::string method =
      replaced(quantisation.method, "compressed_tensors", "compressed-tensors");
  if (method == "modelopt") {
    if (has(quantisation.format, "nvfp4")) return "modelopt_fp4";
    if (has(quantisation.format, "mxfp8")) return "modelopt_mxfp8";
    return has(quantisation.format, "mixed") ? "modelopt_mixed" : "modelopt";
  }
  if (method == "auto-round" || method == "intel/auto-round") {
    const QuantisationRow* inc =
        quantisation_in(serve.engine, QuantisationKind::Method, "inc", serve.version);
    return inc != nullptr && inc->capability ? "inc" : "auto-round";
  }
  return method;
}

bool same_weights(std::string_view flag, std::string_view method) {
  if (flag == method || flag == "marlin") return true;
  if (method == "awq")
    return flag == "awq_marlin" || flag == "auto_awq" || flag == "moe_wna16" || flag == "humming";
  if (method == "gptq") {
    static constexpr std::array<std::string_view, 6> kKernels{
        "gptq_marlin", "auto_gptq", "moe_wna16", "humming", "gptq_marlin_24", "gptq_bitblas"};
    return std::ranges::find(kKernels, flag) != kKernels.end();
  }
  return flag == "humming";
}

std::optional<NumberFormat> number_format(const Case& c) {
  const ServeSpec& serve = c.serve;
  const ModelSpec& model = c.model();
  if (overridden(serve, "quantization_config")) return {};
  const bool flag_unclear =
      !serve.quantization.known() && !serve.quantization.why_unknown().empty();
  if (flag_unclear || !model.quantisation.known()) return {};
  const std::string flag = lower(serve.quantization.value_or(""));
  NumberFormat format;
  if (!model.is_quantised()) {
    if (flag.empty() || flag == "none") return {};
    format = {.method = flag, .by_flag = true};
  } else {
    format.method = engine_method(serve, model.quantisation.value());
    if (!flag.empty() && !same_weights(flag, format.method) &&
        flag != model.quantisation.value().method)
      return {};
    const bool kernel =
        !flag.empty() && (format.method == "awq" || format.method == "gptq") && flag != "marlin";
    if (kernel) format.method = flag;
    format.scheme = scheme_of(model, format.method);
  }
  format.fp8 = is_fp8_method(format.method) || format.scheme == "compressed-tensors fp8";
  format.fp4 = has(format.method, "fp4") || has(format.scheme, "fp4");
  if (has(format.method, "mxfp4") || has(format.scheme, "mxfp4")) format.fp4 = false;
  return format;
}

std::optional<ComputeCapability> needed_capability(const NumberFormat& format,
                                                   const ServeSpec& serve) {
  return needed_in(format, serve, serve.version);
}

std::optional<Version> version_for(const NumberFormat& format, const ServeSpec& serve,
                                   const ComputeCapability& have) {
  const EngineFlags* flags = engine_flags(serve.engine);
  if (flags == nullptr) return {};
  for (const Version& version : flags->read) {
    if (version <= serve.version) continue;
    const auto needed = needed_in(format, serve, version);
    if (needed && *needed <= have) return version;
  }
  return {};
}

std::string kernel_method(const NumberFormat& format, const Case& c) {
  const bool asked =
      c.serve.quantization.asked() && lower(c.serve.quantization.value()) == format.method;
  if (asked || (format.method != "awq" && format.method != "gptq")) return format.method;
  const std::string marlin = format.method + "_marlin";
  const auto needed = capability_of(QuantisationKind::Method, marlin, c.serve, c.serve.version);
  const double bits =
      c.model().is_quantised() ? c.model().quantisation.value().bits.value_or(4) : 4;
  if (bits != 4 && bits != 8) return format.method;  // the Marlin kernels have no others
  const Gpu* gpu = weakest_gpu(c);
  const bool runs = needed && gpu != nullptr && gpu->capability.value() >= *needed;
  return runs ? marlin : format.method;
}

Value format_words(const NumberFormat& format) {
  for (const Family& scheme : kSchemes) {
    if (scheme.method == format.scheme) return scheme.words;
  }
  for (const Family& family : kFamilies) {
    if (family.method == format.method) return family.words;
  }
  return format.method;
}

void mark_format(const Case& c, Diagnostic& d, const NumberFormat& format) {
  Argument words("format", "");
  words.value = format_words(format);
  if (format.by_flag) return mark(d, c.serve.quantization, {kByFlag, {words}});
  mark(d, c.serve.model, {kCheckpoint, {words}});
  const Quantisation& quantisation = c.model().quantisation.value();
  const Argument method("method", quantisation.method);
  const Argument origin("origin", model_origin(c.model()));
  also(d, c.model().quantisation, {},
       quantisation.format.empty()
           ? Message{kBasis, {method, origin}}
           : Message{kBasisFormat, {method, {"format", quantisation.format}, origin}});
}

std::string card_words(const Case& c, const Gpu& gpu) {
  const std::string index = "GPU " + std::to_string(gpu.index);
  if (!gpu.name.known()) return index;
  return c.host().uniform() ? gpu.name.value() : index + " (" + gpu.name.value() + ")";
}

std::string generations_from(const ComputeCapability& least) {
  std::vector<std::pair<ComputeCapability, std::string>> found;
  for (const GpuKind& kind : gpu_kinds()) {
    if (!kind.capability || *kind.capability < least || kind.architecture.empty()) continue;
    const std::string name(kind.architecture);
    const auto same =
        std::ranges::find(found, name, &std::pair<ComputeCapability, std::string>::second);
    if (same == found.end()) {
      found.emplace_back(*kind.capability, name);
    } else {
      same->first = std::min(same->first, *kind.capability);
    }
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (const auto& [capability, name] : found) names.push_back(name);
  return join(names, ", ");
}

}  // namespace sx::rules
