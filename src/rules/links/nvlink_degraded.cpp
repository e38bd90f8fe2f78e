// SX6103. The long explanation and the scenes are in nvlink_degraded.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kDown{
    "{down} of {links} NVLinks of GPU {gpu} are down, its neighbours have {most} up",
    "GPU {gpu} 的 {links} 条 NVLink 有 {down} 条断开，而其他卡有 {most} 条正常"};
constexpr Text kWeak{"GPU {gpu} is joined by {weak}, the other cards by {strong}",
                     "GPU {gpu} 的互联是 {weak}，其他卡之间是 {strong}"};
constexpr Text kRefused{
    "GPUs {one} and {other} are joined by {link} and report no direct access: {status}",
    "GPU {one} 与 {other} 之间是 {link}，却报告不能直接访问：{status}"};
constexpr Text kLabel{"the first that is down", "第一条断开的链路"};
constexpr Text kBasis{"GPU {gpu}: {up} links up", "GPU {gpu}：{up} 条链路正常"};
constexpr Text kMatrix{"`nvidia-smi topo -m`: {weak} in the row of GPU {gpu}",
                       "`nvidia-smi topo -m`：GPU {gpu} 一行为 {weak}"};
constexpr Text kStatus{"`nvidia-smi topo -p2p r`: {status}", "`nvidia-smi topo -p2p r`：{status}"};
constexpr Text kBecause{
    "cards of one board have equally many links; fewer means a link that did not come up or was "
    "taken out after errors",
    "同一块板上各卡的链路数相同；变少说明有链路没有建立，或因出错被停用"};
constexpr Text kOtherwise{
    "collectives run at the pace of the weakest card, or the start ends with \"P2P is disabled "
    "between NVLINK connected GPUs\"",
    "集合通信按最弱的卡的速度进行，或启动时退出：“P2P is disabled between NVLINK connected GPUs”"};
constexpr Text kNoFix{
    "look at `nvidia-smi nvlink -s` and at the kernel's log (Xid 74, 144 to 150); reset all cards "
    "of the board or restart the machine; a link that stays down is a case for repair",
    "查看 `nvidia-smi nvlink -s` 和内核日志（Xid 74、144 至 150）；复位整块板的卡或重启机器；"
    "链路若一直断开就需要送修"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::VisibleDevices};

// Boards behind switches or fully wired have at least as many links between any two; below, unlike
// numbers are the wiring itself (cube mesh, bridges by pairs).
constexpr long long kOfSwitchedBoard = 6;

struct Trouble {
  const Gpu* gpu = nullptr;
  Complaint complaint;
};

std::optional<long long> links_in(const std::string& cell) {
  if (!cell.starts_with("NV")) return {};
  return to_integer(std::string_view(cell).substr(2));
}

// The strongest link of a row.
long long best_of_row(const std::vector<std::string>& row) {
  long long best = 0;
  for (const std::string& cell : row) best = std::max(best, links_in(cell).value_or(0));
  return best;
}

// Links counted one by one, where equal cards show how many there should be.
std::optional<Trouble> fewer_up(const std::vector<const Gpu*>& cards) {
  int most = 0;
  for (const Gpu* card : cards) most = std::max(most, card->state.nvlinks_up.value_or(0));
  for (const Gpu* card : cards) {
    const auto &up = card->state.nvlinks_up, &links = card->state.nvlinks;
    const bool like = card->name.value_or("") == cards.front()->name.value_or("");
    if (!up.known() || !links.known() || !like || up.value() >= most) continue;
    Trouble trouble{card, {}};
    Diagnostic& d = trouble.complaint.diagnostic;
    const Argument gpu("gpu", card->index);
    d.title = {
        kDown,
        {{"down", links.value() - up.value()}, {"links", links.value()}, gpu, {"most", most}}};
    show(d, up, kLabel, {kBasis, {gpu, {"up", up.value()}}});
    return trouble;
  }
  return {};
}

// The matrix: one card whose best link is weaker than that of the others.
std::optional<Trouble> weaker_row(const HostSpec& host, const std::vector<const Gpu*>& cards) {
  const auto& rows = host.links.classes;
  if (rows.size() < 3 || rows.size() != host.gpus.size() || !host.uniform()) return {};
  long long strong = 0;
  for (const auto& row : rows) strong = std::max(strong, best_of_row(row));
  if (strong < kOfSwitchedBoard) return {};
  std::vector<std::size_t> weak;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (best_of_row(rows[i]) < strong) weak.push_back(i);
  }
  // Bridges join two cards; only where one reaches several has a board switches or a full mesh.
  const std::string mark = "NV" + std::to_string(strong);
  const bool board = std::ranges::any_of(
      rows, [&](const auto& row) { return std::ranges::count(row, mark) >= 2; });
  if (!board) return {};
  // One or two of many are broken; half of them are a machine of another make.
  if (weak.empty() || weak.size() * 3 > rows.size()) return {};
  const Gpu& gpu = host.gpus[weak.front()];
  if (std::ranges::find(cards, &gpu) == cards.end()) return {};
  const long long links = best_of_row(rows[weak.front()]);
  Trouble trouble{&gpu, {}};
  Diagnostic& d = trouble.complaint.diagnostic;
  const Argument number("gpu", gpu.index);
  const Argument weakest("weak", links > 0 ? "NV" + std::to_string(links) : std::string("PCIe"));
  d.title = {kWeak, {number, weakest, {"strong", "NV" + std::to_string(strong)}}};
  d.basis.push_back({kMatrix, {weakest, number}});
  return trouble;
}

// A pair with a link that does not reach each other.
std::optional<Trouble> refused_pair(const HostSpec& host, const std::vector<const Gpu*>& cards) {
  const auto &classes = host.links.classes, &p2p = host.links.p2p;
  for (std::size_t a = 0; a < classes.size() && a < p2p.size(); ++a) {
    for (std::size_t b = a + 1; b < classes[a].size() && b < p2p[a].size(); ++b) {
      const std::string& status = p2p[a][b];
      // Only what says so; a cell that could not be read says nothing.
      const bool refused =
          status == "NS" || status == "CNS" || status == "GNS" || status == "TNS" || status == "DR";
      if (!links_in(classes[a][b]) || !refused || a >= host.gpus.size() || b >= host.gpus.size())
        continue;
      const Gpu *one = &host.gpus[a], *other = &host.gpus[b];
      if (std::ranges::find(cards, one) == cards.end() ||
          std::ranges::find(cards, other) == cards.end())
        continue;
      Trouble trouble{one, {}};
      Diagnostic& d = trouble.complaint.diagnostic;
      const Argument said("status", status);
      d.title = {kRefused,
                 {{"one", one->index}, {"other", other->index}, {"link", classes[a][b]}, said}};
      d.basis.push_back({kStatus, {said}});
      return trouble;
    }
  }
  return {};
}

std::vector<Complaint> check(const Case& c) {
  const auto cards = cards_in_question(c);
  if (cards.size() < 2 || c.serve.world_size().value_or(1) < 2) return {};
  auto trouble = refused_pair(c.host(), cards);
  if (!trouble) trouble = fewer_up(cards);
  if (!trouble) trouble = weaker_row(c.host(), cards);
  if (!trouble) return {};
  Diagnostic& d = trouble->complaint.diagnostic;
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "NVLink";
  d.no_fix = kNoFix;
  propose_other_cards(c, {trouble->gpu}, trouble->complaint.proposals);
  return {trouble->complaint};
}

}  // namespace

extern const Rule nvlink_degraded{
    .code = "SX6103",
    .name = "nvlink-degraded",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
