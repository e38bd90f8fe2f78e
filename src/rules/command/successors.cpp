// The successor of the table is a name, a name with a value, or words; words are said in both
// languages here.
#include "rules/command/successors.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"
#include "knowledge/traits.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kInstead{"use {name} instead of {flag}", "把 {flag} 换成 {name}"};
constexpr Text kLeaveOut{"leave {flag} out", "去掉 {flag}"};
constexpr Text kLeaveOutBecause{"leave {flag} out: {reason}", "去掉 {flag}：{reason}"};
constexpr Text kWaitFor{"leave {flag} out; it needs {version} or newer",
                        "去掉 {flag}；它需要 {version} 或更新的版本"};
constexpr Text kOlderName{"use {name}, its name in this version", "改用这个版本里的名字 {name}"};

constexpr std::string_view kLeave = "leave it out: ";

// The table's reasons, word for word, with their Chinese. One that is missing here is not said.
constexpr std::array kReasons{
    Text{"the scales come from the checkpoint", "缩放系数取自检查点"},
    Text{"the platform is found by itself", "平台会自动识别"},
    Text{"it belonged to the V0 engine", "它属于已移除的 V0 引擎"},
    Text{"LoRA adapters with a bias are no longer supported", "不再支持带偏置的 LoRA 适配器"},
    Text{"prompt adapters are no longer supported", "不再支持 prompt adapter"},
    Text{"--reasoning-parser alone turns it on", "只写 --reasoning-parser 就会启用"},
    Text{"it is the default; --exclude-tools-when-tool-choice-none turns it off",
         "现在默认如此，用 --exclude-tools-when-tool-choice-none 关闭"},
    Text{"requests can no longer name logits processors", "请求不能再指定 logits processor"},
    Text{"long-context LoRA is no longer supported", "不再支持长上下文 LoRA"},
    Text{"LoRA adapters with a vocabulary of their own are no longer supported",
         "不再支持自带词表的 LoRA 适配器"},
    Text{"there is nothing in its place", "没有替代它的参数"},
    Text{"graphs are now limited by batch size, with --max-cudagraph-capture-size",
         "CUDA graph 现在按批大小限制，参数是 --max-cudagraph-capture-size"},
    Text{"speculative decoding sets it", "由投机解码自行设定"},
    Text{"requests that lose their memory are computed again", "被抢占的请求会重新计算"},
    Text{"requests that lose their memory are computed again, not swapped",
         "被抢占的请求会重新计算，不再换出到内存"},
    Text{"name the adapter in --lora-modules", "在 --lora-modules 中写明适配器"},
    Text{"see --speculative-config", "见 --speculative-config"},
    Text{"it is the only one", "现在只有这一种"},
    Text{"it is the default", "默认就是如此"},
};

Proposal leave_out(const FlagUse& use, std::string_view reason) {
  Proposal proposal{.title = {kLeaveOut, {{"flag", use.typed}}},
                    .changes = {remove_flag(use.name)}};
  const auto known = std::ranges::find(kReasons, reason,
                                       [](const Text& text) { return text.in(Language::English); });
  if (known != kReasons.end())
    proposal.title = {kLeaveOutBecause, {{"flag", use.typed}, {"reason", *known}}};
  return proposal;
}

// "--x", "--x value" or "--x value --y value" in the place of flag and value.
Proposal words_instead(const FlagUse& use, std::string_view words) {
  Proposal proposal{.title = {kInstead, {{"name", words}, {"flag", use.typed}}},
                    .changes = {remove_flag(use.name)}};
  const auto parts = split(words, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool value = i + 1 < parts.size() && !parts[i + 1].starts_with("--");
    if (value) {
      proposal.changes.push_back(set_flag(std::string(parts[i]), std::string(parts[i + 1])));
      ++i;
    } else {
      proposal.changes.push_back(add_switch(std::string(parts[i])));
    }
  }
  return proposal;
}

// "put it into --hf-overrides '{"rope_theta": ...}'": the value in the place of the dots.
std::optional<Proposal> put_into(const Case& c, const FlagUse& use, std::string_view successor) {
  const auto flag = successor.find("--");
  const auto json = successor.find(" '");
  const auto dots = successor.find("...");
  if (flag == std::string_view::npos || json == std::string_view::npos ||
      dots == std::string_view::npos)
    return {};
  if (use.values.size() != 1 || !successor.ends_with('\'')) return {};
  const std::string name(successor.substr(flag, json - flag));
  if (c.serve.use_of(name) != nullptr) return {};  // two texts would have to become one
  const std::string_view inner = successor.substr(json + 2, successor.size() - json - 3);
  const std::string value = replaced(inner, "...", use.values.front());
  return Proposal{.title = {kInstead, {{"name", name}, {"flag", use.typed}}},
                  .changes = {remove_flag(use.name), set_flag(name, value)}};
}

// A flag that other versions call so: its row's successor is this one.
const FlagRow* older_name(const Case& c, const FlagRow& row) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return nullptr;
  const auto found = std::ranges::find_if(flags->rows, [&](const FlagRow& other) {
    return other.successor == row.name &&
           flags->standing(other, c.serve.version) == Standing::Known;
  });
  return found == flags->rows.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Proposal> in_place_of_removed(const Case& c, const FlagRow& row, const FlagUse& use) {
  std::vector<Proposal> proposals;
  if (use.negated) return {leave_out(use, {})};
  const std::string value = use.values.empty() ? std::string() : use.values.front();
  const auto by_value =
      trait(c.serve.engine, "successor " + std::string(row.name) + ' ' + value, c.serve.version);
  const std::string_view successor = by_value.value_or(row.successor);
  if (successor.starts_with(kLeave)) return {leave_out(use, successor.substr(kLeave.size()))};
  if (successor.starts_with("--") && successor.find(' ') == std::string_view::npos) {
    proposals.push_back({.title = {kInstead, {{"name", successor}, {"flag", use.typed}}},
                         .changes = {rename_flag(use.name, std::string(successor))},
                         .safety = Safety::Safe});
  } else if (successor.starts_with("--")) {
    proposals.push_back(words_instead(use, successor));
  } else if (auto inside = put_into(c, use, successor)) {
    proposals.push_back(*std::move(inside));
  }
  proposals.push_back(leave_out(use, {}));
  proposals.back().safety = Safety::Trades;
  return proposals;
}

std::vector<Proposal> in_place_of_newer(const Case& c, const FlagRow& row, const FlagUse& use) {
  std::vector<Proposal> proposals;
  const FlagRow* older = use.negated ? nullptr : older_name(c, row);
  if (older != nullptr) {
    proposals.push_back(
        {.title = {kOlderName, {{"name", older->name}}},
         .changes = {rename_flag(use.name, with_path(std::string(older->name), use))},
         .safety = Safety::Safe});
  }
  proposals.push_back(
      {.title = {kWaitFor, {{"flag", use.typed}, {"version", row.first_seen->text()}}},
       .changes = {remove_flag(use.name)},
       .safety = Safety::Trades});
  return proposals;
}

}  // namespace sx::rules
