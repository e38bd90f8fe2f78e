// Reading the child's lines, and NVML's codes in words.
#include "sys/nvml_words.h"

#include <algorithm>

#include "base/strings.h"
#include "sys/nvml_condition.h"

namespace sx {
namespace {

std::optional<int> small(std::string_view text) {
  const auto number = to_integer(text);
  if (!number || *number < 0 || *number > 1'000'000'000) return {};
  return static_cast<int>(*number);
}

std::optional<Bytes> bytes_of(std::string_view text) {
  const auto number = to_integer(text);
  if (!number || *number < 0) return {};
  return Bytes{*number};
}

std::optional<bool> truth(std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  return {};
}

void read_gpu_line(NvmlGpu& gpu, std::string_view key, const std::vector<std::string_view>& parts) {
  const std::string_view value = parts.size() > 2 ? parts[2] : std::string_view();
  if (key == "name") gpu.name = std::string(value);
  if (key == "uuid") gpu.uuid = std::string(value);
  if (key == "pci") gpu.pci = std::string(value);
  if (key == "cpus") gpu.cpu_affinity = std::string(value);
  if (key == "total") gpu.memory = bytes_of(value);
  if (key == "used") gpu.used = bytes_of(value);
  if (key == "free") gpu.free = bytes_of(value);
  if (key == "major") gpu.capability_major = small(value);
  if (key == "minor") gpu.capability_minor = small(value);
  if (key == "mig") gpu.mig = truth(value);
  if (key == "ecc") gpu.ecc = truth(value);
  if (key == "persistence") gpu.persistence = truth(value);
  if (key == "compute") gpu.compute_mode = small(value);
  if (key == "numa") gpu.numa = small(value);
  read_nvml_condition(gpu.condition, key, value);
  if (key == "milliwatts") {
    if (const auto milliwatts = small(value)) gpu.power_limit_w = *milliwatts / 1000.0;
  }
}

void set_cell(std::vector<std::vector<std::string>>& cells, std::size_t count,
              const std::vector<std::string_view>& parts) {
  if (parts.size() < 4) return;
  const auto a = small(parts[1]);
  const auto b = small(parts[2]);
  if (!a || !b || static_cast<std::size_t>(*a) >= count || static_cast<std::size_t>(*b) >= count)
    return;
  if (cells.empty()) {
    cells.assign(count, std::vector<std::string>(count));
    for (std::size_t i = 0; i < count; ++i) cells[i][i] = "X";
  }
  cells[static_cast<std::size_t>(*a)][static_cast<std::size_t>(*b)] =
      std::string(parts[3].substr(0, 8));
}

// A clause comes in English and in Chinese; a line that was cut has the first alone.
Both in_both(const std::vector<std::string_view>& parts) {
  const std::string_view english = parts.size() > 1 ? parts[1] : std::string_view();
  return {std::string(english), std::string(parts.size() > 2 ? parts[2] : english)};
}

void read_line(NvmlTold& told, const std::vector<std::string_view>& parts) {
  const std::string_view key = parts[0];
  const std::string_view value = parts.size() > 1 ? parts[1] : std::string_view();
  NvmlAnswer& answer = told.answer;
  if (key == "asking") told.asking = in_both(parts);
  if (key == "done") told.done = true;
  if (key == "absent") {
    told.absent = true;
    told.absent_why = std::string(value);
  }
  if (key == "refused") told.refused = small(value).value_or(999);
  if (key == "driver") answer.driver = std::string(value);
  if (key == "cuda") answer.cuda = std::string(value);
  if (key == "unknown") answer.unknown.push_back(in_both(parts));
  if (key == "count") {
    const auto count = static_cast<std::size_t>(small(value).value_or(0));
    told.counted = true;
    answer.gpus.resize(std::min(count, kMostNvmlGpus));
  }
  if (key == "link") set_cell(answer.classes, answer.gpus.size(), parts);
  if (key == "p2p") set_cell(answer.p2p, answer.gpus.size(), parts);
  const auto index = small(value);
  if (index && static_cast<std::size_t>(*index) < answer.gpus.size() && parts.size() > 2) {
    read_gpu_line(answer.gpus[static_cast<std::size_t>(*index)], key, parts);
  }
}

}  // namespace

Both nvml_words(int code) {
  switch (code) {
    case 3:
      return {"not supported", "不支持"};
    case 4:
      return {"no permission", "没有权限"};
    case 9:
      return {"the kernel module of the driver is not loaded", "驱动的内核模块没有加载"};
    case 12:
      return {"a library of the driver is missing", "缺少驱动的某个库"};
    case kNvmlMissing:
      return {"the driver is too old to tell", "驱动太旧，不提供这一项"};
    case 15:
      return {"the GPU is lost from the bus", "GPU 已从总线上丢失"};
    case 16:
      return {"the GPU must be reset", "GPU 需要重置"};
    case 17:
      return {"the system or a container keeps the GPU away", "系统或容器不让访问这张 GPU"};
    case 18:
      return {
          "driver/library version mismatch: the library was updated and the kernel module was not; "
          "reboot",
          "驱动与库的版本不一致（driver/library version "
          "mismatch）：库已更新而内核模块没有；需要重启机器"};
    case 27:
      return {"not ready", "尚未就绪"};
    case 28:
      return {"the GPU was not found", "没有找到这张 GPU"};
    case 999:
      return {"unknown error (in a container: the devices were taken away)",
              "未知错误（在容器里：设备已被收走）"};
    default:
      return {"NVML error " + std::to_string(code), "NVML 错误 " + std::to_string(code)};
  }
}

NvmlTold read_nvml_lines(std::string_view text) {
  NvmlTold told;
  // The last line may be cut; only lines that ended count.
  while (true) {
    const auto end = text.find('\n');
    if (end == text.npos) break;
    read_line(told, split(text.substr(0, end), '\t'));
    text.remove_prefix(end + 1);
  }
  return told;
}

}  // namespace sx
