// A machine that was only named: "6xA100-PCIE-40GB", "2xH100-SXM+2xL40S".
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "gather/gather_host.h"
#include "gather/gather_host_card.h"

namespace sx {
namespace {

constexpr int kMostGpus = 64;  // larger hosts are not sold; a larger number is a slip
constexpr std::size_t kLongestName = 4096;

constexpr Text kTaken{"{said} is taken as {name}: {why}", "{said} 按 {name} 处理：{why}"};
constexpr Text kNamedLinks{"give `nvidia-smi topo -m` with --topology to tell the links",
                           "可用 --topology 给出 `nvidia-smi topo -m` 的输出以说明链路"};
constexpr Text kNamedDriver{"give --driver to tell the driver", "可用 --driver 给出驱动版本"};
constexpr Text kNamedCuda{"give --cuda to tell its CUDA version", "可用 --cuda 给出 CUDA 版本"};
constexpr Text kNamedShm{"give --shm to tell the size of /dev/shm",
                         "可用 --shm 给出 /dev/shm 的大小"};
constexpr Text kNamedUse{"give --free to tell how much memory is free", "可用 --free 给出空闲显存"};
constexpr Text kNamed{"it is seen only on the machine itself", "只有在机器本身上才能看到"};

constexpr std::array<std::string_view, 4> kTimes{"x", "X", "*", "\u00d7"};

struct Counted {
  int count = 1;
  std::string_view name;
};

// "6xA100", "6 x A100", "6*A100", "6×A100"; without a count it is one card. "4090" is a name, not a
// count.
Result<Counted> counted(std::string_view part) {
  const auto digits = part.find_first_not_of("0123456789");
  if (digits == 0 || digits == part.npos) return Counted{1, part};
  std::string_view rest = trimmed(part.substr(digits));
  const auto* times =
      std::ranges::find_if(kTimes, [&](auto sign) { return rest.starts_with(sign); });
  if (times == kTimes.end()) return Counted{1, part};
  rest = trimmed(rest.substr(times->size()));
  const auto count = to_integer(part.substr(0, digits));
  if (!count || *count < 1 || *count > kMostGpus) {
    const std::string said(part.substr(0, 80));
    const std::string most = std::to_string(kMostGpus);
    return fail(Error::Kind::Usage, "'" + said + "': a machine has 1 to " + most + " GPUs",
                "'" + said + "'：一台机器有 1 到 " + most + " 张 GPU");
  }
  return Counted{static_cast<int>(*count), rest};
}

// "8H100", "H100x8": what people write too. Taken only where it leads to a card that is known.
std::optional<Counted> counted_otherwise(std::string_view part) {
  const auto sure = [](std::string_view digits, std::string_view name) -> std::optional<Counted> {
    const auto count = to_integer(digits);
    if (!count || *count < 1 || *count > kMostGpus || match_gpu(name).kind == nullptr) return {};
    return Counted{static_cast<int>(*count), name};
  };
  const auto front = std::min(part.find_first_not_of("0123456789"), part.size());
  if (auto found = sure(part.substr(0, front), trimmed(part.substr(front)))) return found;
  const auto back = part.find_last_not_of("0123456789") + 1;
  const std::string_view before = trimmed(part.substr(0, back));
  for (const std::string_view sign : kTimes) {
    if (!before.ends_with(sign)) continue;
    return sure(part.substr(back), trimmed(before.substr(0, before.size() - sign.size())));
  }
  return {};
}

std::unexpected<Error> not_named() {
  return fail(Error::Kind::Usage, "a machine is named like 4xL40S: a count, an x and a GPU",
              "机器的写法如 4xL40S：数量、x、GPU 型号");
}

Error unknown_card(std::string_view name, const GpuMatch& match) {
  const std::string said(name.substr(0, 80));
  std::string what = "no GPU is known as '" + said + "'";
  std::string chinese = "没有名为 '" + said + "' 的 GPU";
  if (match.closest_names.empty()) {
    what += "; a machine is named like 4xL40S";
    chinese += "；机器的写法如 4xL40S";
  } else {
    what += "; the closest names are " + join(match.closest_names, ", ");
    chinese += "；最接近的名称：" + join(match.closest_names, "、");
  }
  return {Error::Kind::Usage, std::move(what), std::move(chinese)};
}

// One "6xA100" of the name: adds its GPUs to the machine.
Result<int> add_cards(HostSpec& host, std::string_view part) {
  SX_TRY(Counted asked, counted(part));
  if (asked.name.empty()) return not_named();
  GpuMatch match = match_gpu(asked.name);
  if (const auto other = match.kind == nullptr ? counted_otherwise(part) : std::nullopt) {
    asked = *other;
    match = match_gpu(asked.name);
  }
  if (match.kind == nullptr) return std::unexpected(unknown_card(asked.name, match));
  if (static_cast<int>(host.gpus.size()) + asked.count > kMostGpus) {
    const std::string most = std::to_string(kMostGpus);
    return fail(Error::Kind::Usage, "a machine has at most " + most + " GPUs",
                "一台机器最多 " + most + " 张 GPU");
  }
  if (!match.assumed.empty()) {
    host.assumed.push_back(
        {kTaken,
         {{"said", asked.name},
          {"name", match.kind->name},
          {"why", Both{std::string(match.assumed), std::string(match.assumed_chinese)}}}});
  }
  Gpu gpu;
  gpu.name = {std::string(match.kind->name), Origin::Flag};
  gpu.used = Fact<Bytes>::unknown(kNamedUse);
  gpu.mig = gpu.ecc = gpu.persistence = Fact<bool>::unknown(kNamed);
  gpu.numa = Fact<int>::unknown(kNamed);
  gpu.power_limit_w = Fact<double>::unknown(kNamed);
  describe_card(gpu, match.kind, match.assumed.empty() ? Origin::Measured : Origin::Assumed);
  for (int i = 0; i < asked.count; ++i) {
    gpu.index = static_cast<int>(host.gpus.size());
    host.gpus.push_back(gpu);
  }
  return asked.count;
}

void nothing_else_is_known(HostSpec& host) {
  host.links.why_unknown = kNamedLinks;
  host.driver = Fact<std::string>::unknown(kNamedDriver);
  host.cuda = Fact<std::string>::unknown(kNamedCuda);
  host.shared_memory = host.shared_memory_free = Fact<Bytes>::unknown(kNamedShm);
  host.memory = host.memory_free = host.memory_limit = Fact<Bytes>::unknown(kNamed);
  host.locked_memory = Fact<Bytes>::unknown(kNamed);
  host.open_files = host.cpu_count = host.numa_nodes = Fact<int>::unknown(kNamed);
  host.container = Fact<bool>::unknown(kNamed);
  host.used_ports = Fact<std::vector<UsedPort>>::unknown(kNamed);
}

}  // namespace

Result<HostSpec> parse_machine_name(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return not_named();
  if (text.size() > kLongestName)
    return fail(Error::Kind::Usage, "the name of the machine is too long", "机器名称太长");
  HostSpec host;
  host.from = HostFrom::Named;
  host.name = std::string(text);
  for (const std::string_view part : split(text, '+')) {
    SX_TRY([[maybe_unused]] const int added, add_cards(host, trimmed(part)));
  }
  host.gpu_count = {static_cast<int>(host.gpus.size()), Origin::Flag};
  nothing_else_is_known(host);
  list_unknown(host);
  return host;
}

}  // namespace sx
