// GPUs and the kernel's error numbers.
#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/gpus.h"
#include "knowledge/xids.h"

namespace sx {
namespace {

constexpr Text kNone{"none", "无"};

std::string number_text(const std::optional<double>& number, std::string_view unit) {
  return number ? rendered(Value{*number}, Language::English) + ' ' + std::string(unit) : "";
}

Text scope_title(std::string_view scope) {
  if (scope == "app") return {"the process", "进程"};
  if (scope == "gpu") return {"the GPU", "GPU"};
  if (scope == "node") return {"the machine", "整台机器"};
  if (scope == "fabric") return {"the links between GPUs", "GPU 互联"};
  if (scope == "driver") return {"the driver", "驱动"};
  if (scope == "fw") return {"the firmware", "固件"};
  if (scope == "info") return {"information only", "仅供参考"};
  if (scope == "unused") return {"not in use", "未使用"};
  return {"unknown", "未知"};
}

std::optional<Text> cause_title(std::string_view cause) {
  if (cause == "hw") return Text{"hardware", "硬件"};
  if (cause == "driver") return Text{"driver", "驱动"};
  if (cause == "app") return Text{"the program", "应用程序"};
  if (cause == "sysmem") return Text{"host memory", "内存"};
  if (cause == "bus") return Text{"PCIe bus", "PCIe 总线"};
  if (cause == "thermal") return Text{"heat", "过热"};
  if (cause == "fb") return Text{"GPU memory", "显存"};
  return {};
}

// Words of the table by commas, as people say them.
std::string causes_text(std::string_view causes, Language language) {
  std::vector<std::string> shown;
  for (const std::string_view cause : split(causes, ',')) {
    if (const auto title = cause_title(cause)) shown.emplace_back(title->in(language));
  }
  return join(shown, language == Language::Chinese ? "、" : ", ");
}

// "79", "xid79", "Xid 79", "NVRM: Xid (PCI:0000:2a:00): 79, pid=…".
std::optional<int> xid_number(std::string_view word) {
  const std::string text = lower(word);
  std::string_view digits = text;
  if (const auto at = digits.find("xid ("); at != std::string_view::npos) {
    const auto end = digits.find("):", at);
    if (end == std::string_view::npos) return {};
    digits.remove_prefix(end + 2);
    digits = digits.substr(0, digits.find(','));
  }
  if (digits.starts_with("xid")) digits.remove_prefix(3);
  const auto number = to_integer(trimmed(digits));
  if (!number || *number < 0 || *number > 100'000) return {};
  return static_cast<int>(*number);
}

}  // namespace

std::vector<Explained> explain_gpu(std::string_view word, Language language) {
  const GpuMatch match = match_gpu(word);
  if (match.kind == nullptr) return {};
  const GpuKind& kind = *match.kind;
  Fields fields(language);
  fields.add({"assumed", "假定"}, in_language(match.assumed, match.assumed_chinese, language));
  fields.add({"architecture", "架构"}, std::string(kind.architecture));
  fields.add({"compute capability", "计算能力"}, kind.capability ? kind.capability->text() : "");
  fields.add({"memory", "显存"}, kind.memory ? rendered(Value{*kind.memory}, language) : "");
  fields.add({"held back by the driver", "驱动保留"},
             kind.held_back ? rendered(Value{*kind.held_back}, language) : "");
  fields.add({"memory bandwidth", "显存带宽"}, number_text(kind.memory_gb_per_second, "GB/s"));
  fields.add({"bfloat16", "bfloat16"}, yes_or_no(kind.bf16, language));
  fields.add({"FP8 units", "FP8 单元"}, yes_or_no(kind.fp8, language));
  fields.add({"FP16 matrix rate", "FP16 矩阵算力"}, number_text(kind.fp16_tflops, "TFLOP/s"));
  fields.add({"FP8 matrix rate", "FP8 矩阵算力"}, number_text(kind.fp8_tflops, "TFLOP/s"));
  fields.add({"FP4 matrix rate", "FP4 矩阵算力"}, number_text(kind.fp4_tflops, "TFLOP/s"));
  fields.add({"INT8 matrix rate", "INT8 矩阵算力"}, number_text(kind.int8_tops, "TOP/s"));
  fields.add({"power limit", "功耗上限"}, number_text(kind.power_watts, "W"));
  fields.add({"NVLink", "NVLink"}, kind.nvlink_gb_per_second == 0.0
                                       ? std::string(kNone.in(language))
                                       : number_text(kind.nvlink_gb_per_second, "GB/s"));
  fields.add({"PCIe", "PCIe"}, std::string(kind.pcie));
  fields.add({"source", "来源"}, std::string(kind.source));
  return {fields.entry("gpu", kind.name)};
}

std::vector<Explained> explain_xid(std::string_view word, Language language) {
  const auto number = xid_number(word);
  const XidRow* row = number ? find_xid(*number) : nullptr;
  if (row == nullptr) return {};
  Fields fields(language);
  fields.add({"name", "名称"}, std::string(row->mnemonic));
  fields.add({"meaning", "含义"}, in_language(row->meaning, row->meaning_chinese, language));
  fields.add({"concerns", "范围"}, std::string(scope_title(row->scope).in(language)));
  fields.add({"for a server", "对服务的影响"},
             in_language(row->serving_impact, row->serving_impact_chinese, language));
  fields.add({"what to do", "处理"}, in_language(row->action, row->action_chinese, language));
  fields.add({"possible causes", "可能原因"}, causes_text(row->possible_causes, language));
  fields.add({"maker's bucket", "厂商分类"}, std::string(row->bucket));
  fields.add({"source", "来源"}, std::string(row->source));
  const std::string name = "Xid " + std::to_string(row->xid);
  return {fields.entry("xid", name)};
}

}  // namespace sx
