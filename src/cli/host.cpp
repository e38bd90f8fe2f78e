// `sextant host`: what the machine is, which GPUs belong together, and a file of it for --on.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/host_ask.h"
#include "cli/host_condition.h"
#include "gather/gather_host.h"
#include "gather/host_file.h"
#include "sys/save_file.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr Text kHeadName{"GPU", "GPU"};
constexpr Text kCard{"card", "型号"};
constexpr Text kMemory{"memory", "显存"};
constexpr Text kUsable{"usable", "可用"};
constexpr Text kUsed{"in use", "已占用"};
constexpr Text kUnknownCell{"?", "?"};
constexpr Text kNoGpu{"The driver sees no GPU.", "驱动没有看到任何 GPU。"};
constexpr Text kGpusUnknown{"GPUs: not known", "GPU：未知"};
constexpr Text kLinks{"Links", "链路"};
constexpr Text kPeerAccess{"Peer access (P2P)", "GPU 直连访问（P2P）"};
constexpr Text kMachine{"Machine", "主机"};
constexpr Text kDriver{"driver", "驱动"};
constexpr Text kHostMemory{"memory", "内存"};
constexpr Text kLimit{"memory limit of this group", "本控制组的内存上限"};
constexpr Text kShm{"/dev/shm", "/dev/shm"};
constexpr Text kLocked{"lockable memory", "可锁定内存"};
constexpr Text kOpenFiles{"open files", "可打开文件数"};
constexpr Text kNuma{"NUMA nodes", "NUMA 节点数"};
constexpr Text kContainer{"container", "在容器中"};
constexpr Text kYes{"yes", "是"};
constexpr Text kNo{"no", "否"};
constexpr Text kUnlimited{"unlimited", "无限制"};
constexpr Text kCondition{"Condition", "状况"};
constexpr Text kTaken{"Taken for granted", "以下为假定"};
constexpr Text kNotKnown{"Not known", "未知项"};
constexpr Text kPickLine{
    "Best {k}: GPU {gpus} (weakest link {weakest}; equally good sets, this one included: {ties})",
    "最合适的 {k} 张：GPU {gpus}（最弱链路 {weakest}；同样好的组合共 {ties} 个）"};
constexpr Text kOnlyPick{"Best {k}: GPU {gpus} (weakest link {weakest}; no other set is as good)",
                         "最合适的 {k} 张：GPU {gpus}（最弱链路 {weakest}；没有同样好的其他组合）"};
constexpr Text kSaved{"Written to {file}.", "已写入 {file}。"};
constexpr Text kNoPick{"no set can be picked: links are not known", "无法挑选：链路未知"};
constexpr Text kListed{", ", "、"};
constexpr Text kEntry{"{what}: {why}", "{what}：{why}"};

// What is not known, in words; names of the machine file that have none stay as they are.
struct Named {
  std::string_view name;
  Text words;
};
constexpr std::array kNames{
    Named{"gpus", {"GPUs", "GPU"}},
    Named{"gpus.name", {"names of the GPUs", "GPU 型号"}},
    Named{"gpus.memory", {"memory of the GPUs", "显存"}},
    Named{"gpus.usable", {"usable memory of the GPUs", "可用显存"}},
    Named{"gpus.used", {"memory in use", "已占用显存"}},
    Named{"gpus.capability", {"compute capability", "计算能力"}},
    Named{"gpus.numa", {"NUMA nodes of the GPUs", "GPU 所在 NUMA 节点"}},
    Named{"links", {"links", "链路"}},
    Named{"driver", {"driver", "驱动"}},
    Named{"cuda", {"CUDA", "CUDA"}},
    Named{"memory", {"host memory", "内存"}},
    Named{"shared_memory", {"/dev/shm", "/dev/shm"}},
    Named{"locked_memory", {"lockable memory", "可锁定内存"}},
    Named{"open_files", {"open files", "可打开文件数"}},
    Named{"cpus", {"CPUs", "CPU"}},
    Named{"numa_nodes", {"NUMA nodes", "NUMA 节点数"}},
    Named{"container", {"container", "是否在容器中"}},
    Named{"ports", {"ports in use", "已占用端口"}},
    Named{"pick", {"pick", "挑选"}},
    Named{"text", {"text", "文本"}},
    Named{"nvml", {"NVML", "NVML"}},
};

constexpr Bytes kPracticallyUnlimited{std::int64_t{1} << 50};

struct Page {
  Language language;
  std::size_t width;
  std::string text;

  std::string say(Text words) const { return std::string(words.in(language)); }
  void heading(Text words) { text += (text.empty() ? "" : "\n") + say(words) + "\n"; }
  void line(std::string_view words) { text += printable(words) + "\n"; }
};

template <class T>
std::string shown(const Page& page, const Fact<T>& fact) {
  if (!fact.known()) return page.say(kUnknownCell);
  return rendered(Value(fact.value()), page.language);
}

std::string shown_count(const Page& page, const Fact<int>& fact) {
  return fact.known() ? std::to_string(fact.value()) : page.say(kUnknownCell);
}

void add_gpus(Page& page, const HostSpec& host) {
  if (!host.gpu_count.known()) {
    page.line(page.say(kGpusUnknown));
    return;
  }
  if (host.gpus.empty()) {
    page.line(page.say(kNoGpu));
    return;
  }
  std::vector<std::vector<std::string>> rows{{page.say(kHeadName), page.say(kCard),
                                              page.say(kMemory), page.say(kUsable), page.say(kUsed),
                                              "sm", "NUMA"}};
  for (const Gpu& gpu : host.gpus) {
    rows.push_back({std::to_string(gpu.index), printable(gpu.name.value_or(page.say(kUnknownCell))),
                    shown(page, gpu.memory), shown(page, gpu.usable), shown(page, gpu.used),
                    gpu.capability.known() ? gpu.capability.value().text() : page.say(kUnknownCell),
                    shown_count(page, gpu.numa)});
  }
  page.text += table(rows, {Align::Right, Align::Left, Align::Right, Align::Right, Align::Right,
                            Align::Right, Align::Right});
}

void add_matrix(Page& page, Text title, const HostSpec& host,
                const std::vector<std::vector<std::string>>& cells) {
  if (cells.size() < 2) return;
  page.heading(title);
  std::vector<std::string> head{""};
  for (const Gpu& gpu : host.gpus) head.push_back("GPU" + std::to_string(gpu.index));
  std::vector<std::vector<std::string>> rows{head};
  for (std::size_t a = 0; a < cells.size() && a < host.gpus.size(); ++a) {
    std::vector<std::string> row{head[a + 1]};
    for (const std::string& cell : cells[a])
      row.push_back(cell.empty() ? page.say(kUnknownCell) : printable(cell));
    rows.push_back(std::move(row));
  }
  page.text += table(rows, std::vector<Align>(head.size(), Align::Left));
}

std::string shown_limit(const Page& page, const Fact<Bytes>& fact) {
  if (fact.known() && fact.value() >= kPracticallyUnlimited) return page.say(kUnlimited);
  return shown(page, fact);
}

void add_machine(Page& page, const HostSpec& host) {
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](std::string name, std::string value) {
    rows.push_back({std::move(name), std::move(value)});
  };
  if (host.driver.known()) row(page.say(kDriver), printable(host.driver.value()));
  if (host.cuda.known()) row("CUDA", printable(host.cuda.value()));
  if (host.memory.known()) row(page.say(kHostMemory), shown(page, host.memory));
  if (host.memory_limit.known()) row(page.say(kLimit), shown_limit(page, host.memory_limit));
  if (host.shared_memory.known()) row(page.say(kShm), shown(page, host.shared_memory));
  if (host.locked_memory.known()) row(page.say(kLocked), shown_limit(page, host.locked_memory));
  if (host.open_files.known()) row(page.say(kOpenFiles), shown_count(page, host.open_files));
  if (host.cpu_count.known()) row("CPU", shown_count(page, host.cpu_count));
  if (host.numa_nodes.known()) row(page.say(kNuma), shown_count(page, host.numa_nodes));
  if (host.container.known())
    row(page.say(kContainer), page.say(host.container.value() ? kYes : kNo));
  if (rows.empty()) return;
  page.heading(kMachine);
  page.text += table(rows, {Align::Left, Align::Left});
}

void add_condition(Page& page, const HostSpec& host) {
  const auto remarks = condition_remarks(host);
  if (!remarks.empty()) page.heading(kCondition);
  for (const Message& remark : remarks) page.line("  " + rendered(remark, page.language));
}

void add_open_ends(Page& page, const HostSpec& host) {
  if (!host.assumed.empty()) page.heading(kTaken);
  for (const Message& message : host.assumed) page.line("  " + rendered(message, page.language));
  if (host.unknown.empty()) return;
  page.heading(kNotKnown);
  // Things that are unknown for one reason stand in one line.
  std::vector<std::pair<std::string, std::string>> lines;  // why, what
  for (const auto& [what, why] : host.unknown) {
    const std::string reason = rendered(why, page.language);
    const auto same = std::ranges::find(lines, reason, &std::pair<std::string, std::string>::first);
    const auto* named = std::ranges::find(kNames, what, &Named::name);
    const std::string words = named == kNames.end() ? what : page.say(named->words);
    if (same == lines.end()) {
      lines.emplace_back(reason, words);
    } else if (what != "text" && what != "nvml") {
      same->second += page.say(kListed) + words;
    }
  }
  for (const auto& [why, what] : lines) {
    page.line("  " + rendered({kEntry, {{"what", what}, {"why", why}}}, page.language));
  }
}

std::string host_page(const HostSpec& host, const std::optional<GpuSet>& pick, int k,
                      const Style& style) {
  Page page{style.language, style.width, {}};
  add_gpus(page, host);
  add_matrix(page, kLinks, host, host.links.classes);
  add_matrix(page, kPeerAccess, host, host.links.p2p);
  if (pick) {
    page.text += '\n';
    const Text line = pick->ties > 1 ? kPickLine : kOnlyPick;
    page.line(rendered(
        {line,
         {{"k", k}, {"gpus", join(pick->gpus)}, {"weakest", pick->weakest}, {"ties", pick->ties}}},
        style.language));
  }
  add_machine(page, host);
  add_condition(page, host);
  add_open_ends(page, host);
  return page.text;
}

struct Picked {
  int k = 0;
  std::optional<GpuSet> set;
};

// Nothing picked when links are unknown; an error for a K that the machine cannot have.
Result<Picked> pick(const Arguments& arguments, HostSpec& host) {
  Picked picked;
  const auto asked = arguments.value("--pick");
  if (!asked) return picked;
  const auto k = to_integer(*asked);
  if (!k || *k < 1) {
    return fail(Error::Kind::Usage, "--pick: '" + asked->substr(0, 40) + "' is not a count of GPUs",
                "--pick：'" + asked->substr(0, 40) + "' 不是 GPU 数量");
  }
  if (host.gpu_count.known() && *k > host.gpu_count.value()) {
    const std::string count = std::to_string(host.gpu_count.value());
    return fail(Error::Kind::Usage, "--pick: the machine has " + count + " GPUs, not " + *asked,
                "--pick：机器有 " + count + " 张 GPU，不足 " + *asked + " 张");
  }
  picked.k = static_cast<int>(*k);
  picked.set = best_gpus(host, picked.k);
  if (!picked.set) host.unknown.emplace_back("pick", Message{kNoPick});
  return picked;
}

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

}  // namespace

int host_command(const Arguments& arguments, Session& session) {
  const Style style = decide_style({.colour = arguments.colour(), .language = arguments.language()},
                                   session.outside.environment);
  Sources sources;
  auto host = gather_host(sources, host_ask(arguments), session.outside);
  if (!host) return could_not(host.error(), session, style.language);
  const auto picked = pick(arguments, *host);
  if (!picked) return could_not(picked.error(), session, style.language);

  const auto file = arguments.value("--save");
  if (file) {
    const auto saved = save_file(*file, host_to_json(*host));
    if (!saved) return could_not(saved.error(), session, style.language);
  }
  if (arguments.value("--format").value_or("text") == "json") {
    session.output.answer(host_to_json(*host, picked->set, picked->k));
    return kDone;
  }
  session.output.answer(host_page(*host, picked->set, picked->k, style));
  if (file)
    session.output.answer("\n" + rendered({kSaved, {{"file", *file}}}, style.language) + "\n");
  return kDone;
}

}  // namespace sx
