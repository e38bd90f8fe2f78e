// SX4110. The long explanation and the scenes are in quant_dtype_mismatch.md.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/quantisation.h"
#include "rules/model/dtype_words.h"
#include "rules/model/number_format.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the kernels of {method} take {takes}, not {dtype}",
                      "{method} 的内核只支持 {takes}，不支持 {dtype}"};
constexpr Text kForced{"naming {method} forces its own kernels",
                       "写明 {method} 会强制使用它自己的内核"};
constexpr Text kOfConfig{"{dtype}: {origin}", "{dtype}：{origin}"};
constexpr Text kBecause{"each quantisation kernel is compiled for some types of activations only",
                        "量化内核只为某些激活值类型编译"};
constexpr Text kOtherwise{
    "the engine exits in the first minute: \"torch.{dtype} is not supported for quantization "
    "method {method}\"",
    "引擎在第一分钟内退出：“torch.{dtype} is not supported for quantization method {method}”"};
constexpr Text kDecides{"leave {flag} out: the engine then picks faster kernels that take {dtype}",
                        "去掉 {flag}：引擎会选用更快、且支持 {dtype} 的内核"};
constexpr Text kSet{"compute in {dtype}", "用 {dtype} 计算"};
constexpr Text kLeave{"leave {flag} out: the engine takes the checkpoint's type",
                      "去掉 {flag}：引擎会采用检查点的类型"};

constexpr Text kOther{"it takes a checkpoint in another format, or another card",
                      "需要另一种格式的检查点，或另一种 GPU"};

constexpr Need kNeeds[] = {Need::ModelQuantisation, Need::HostGpuKind, Need::VisibleDevices};

std::string listed(const QuantisationRow& row) {
  std::vector<std::string> names(row.dtypes.begin(), row.dtypes.end());
  return join(names, ", ");
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const auto format = number_format(c);
  const auto dtype = dtype_in_force(c);
  if (!format || !dtype) return {};
  const std::string method = kernel_method(*format, c);
  const QuantisationRow* row =
      quantisation_in(serve.engine, QuantisationKind::Method, method, serve.version);
  if (row == nullptr || row->dtypes.empty()) return {};
  if (std::ranges::find(row->dtypes, std::string_view(*dtype)) != row->dtypes.end()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument kernels("method", method);
  const Argument type("dtype", *dtype);
  d.title = {kTitle, {kernels, {"takes", listed(*row)}, type}};
  const bool dtype_asked = !asked_dtype(serve).empty();
  if (dtype_asked) {
    mark(d, serve.dtype, {});
  } else if (c.model().dtype.known()) {
    d.basis.push_back({kOfConfig, {type, {"origin", model_origin(c.model())}}});
  }
  const bool forced = serve.quantization.asked();
  if (forced) {
    mark(d, serve.quantization, {kForced, {kernels}});
  } else {
    mark_format(c, d, *format);
  }
  d.because = kBecause;
  d.otherwise = {kOtherwise, {type, kernels}};
  d.subject = "--dtype";
  d.no_fix = kOther;
  if (forced) {
    complaint.proposals.push_back(
        {.title = {kDecides, {type, {"flag", own_flag(serve, "--quantization")}}},
         .changes = {remove_flag("--quantization")},
         .safety = Safety::Safe});
  }
  if (dtype_asked)
    complaint.proposals.push_back({.title = {kLeave, {{"flag", own_flag(serve, "--dtype")}}},
                                   .changes = {remove_flag("--dtype")}});
  for (const std::string_view taken : row->dtypes) {
    complaint.proposals.push_back({.title = {kSet, {{"dtype", taken}}},
                                   .changes = {set_flag("--dtype", std::string(taken))}});
  }
  return {complaint};
}

}  // namespace

extern const Rule quant_dtype_mismatch{
    .code = "SX4110",
    .name = "quant-dtype-mismatch",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
