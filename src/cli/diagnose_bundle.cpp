// Written whole or not at all; what is removed is removed from the finished text, so that no part
// of it can be forgotten.
#include "cli/diagnose_bundle.h"

#include <algorithm>

#include "base/strings.h"
#include "check/scrub.h"
#include "read/log_line.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr std::size_t kTailBytes = std::size_t{48} << 10U;  // what an issue can hold, for each log
constexpr std::size_t kMostTails = 64;
constexpr std::size_t kWidth = 100;
constexpr std::size_t kMostHosts = 256;

constexpr Text kHead{"sextant diagnose {version}", "sextant diagnose {version}"};
constexpr Text kEngine{"engine: {name} {version}", "引擎：{name} {version}"};
constexpr Text kMachine{"machine: {name}", "机器：{name}"};
constexpr Text kGpu{"  GPU {index}: {name}", "  GPU {index}：{name}"};
constexpr Text kDriver{"driver: {version}", "驱动：{version}"};
constexpr Text kCommand{"command: {command}", "命令：{command}"};
constexpr Text kAnswer{"== answer", "== 结论"};
constexpr Text kLast{"== last lines of {name}", "== {name} 的最后若干行"};
constexpr Text kCut{"(what stands before is left out)", "（前面的内容已略去）"};

// Colours and what a terminal would act on are no part of a plain text.
std::string plain(std::string_view text) {
  std::string out;
  LogLineReader reader;
  for (const std::string_view line : lines_of(text)) {
    for (const char c : reader.read(line).whole) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= ' ' || c == '\t') out += byte == 0x7F ? '?' : c;
    }
    out += '\n';
  }
  return out;
}

std::vector<std::string> hosts_of(const DiagnoseAnswer& answer, const Outside& outside) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    name = trimmed(name);
    if (name.size() < 2 || name == "localhost" || names.size() >= kMostHosts) return;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const NcclGroup& group : answer.beside.nccl.groups) {
    for (const NcclRank& rank : group.ranks)
      add(std::string_view(rank.process).substr(0, rank.process.find(':')));
  }
  if (const auto name = outside.files->read("/etc/hostname", kib(4))) add(*name);
  if (const auto name = outside.files->read("/proc/sys/kernel/hostname", kib(4))) add(*name);
  // A longer name first: it may begin with a shorter one.
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return names;
}

}  // namespace

void LogTails::begin(std::string name) {
  if (!wanted_ || tails_.size() >= kMostTails) {
    decoder_ = LogDecoder([](std::string_view) {});
    return;
  }
  tails_.push_back({.name = std::move(name), .text = {}});
  decoder_ = LogDecoder([this](std::string_view text) { take(text); });
}

void LogTails::feed(std::string_view bytes) {
  if (wanted_) decoder_.feed(bytes);
}

void LogTails::end() {
  if (wanted_) decoder_.end();
}

void LogTails::take(std::string_view text) {
  Tail& tail = tails_.back();
  if (text.size() > kTailBytes) {
    tail.text.clear();
    tail.whole = false;
    text.remove_prefix(text.size() - kTailBytes);
  }
  tail.text += text;
  if (tail.text.size() <= 2 * kTailBytes) return;
  tail.text.erase(0, tail.text.size() - kTailBytes);
  tail.whole = false;
}

Result<void> save_bundle(const DiagnoseAnswer& answer, const LogTails& tails,
                         const Arguments& arguments, const Outside& outside, Language language) {
  std::string text;
  const auto add = [&](const Message& message) { text += rendered(message, language) + "\n"; };
  add({kHead, {{"version", SEXTANT_VERSION}}});
  if (!answer.run.engine.empty())
    add({kEngine, {{"name", answer.run.engine}, {"version", answer.run.version}}});
  if (answer.host) {
    add({kMachine, {{"name", answer.host->name}}});
    for (const Gpu& gpu : answer.host->gpus)
      add({kGpu, {{"index", gpu.index}, {"name", gpu.name.value_or("?")}}});
    if (answer.host->driver) add({kDriver, {{"version", answer.host->driver.value()}}});
  }
  if (arguments.has_launch) add({kCommand, {{"command", join(arguments.launch, " ")}}});
  text += '\n';
  add({kAnswer});
  text += diagnose_text(answer, {.language = language, .colour = false, .width = kWidth});
  for (const LogTails::Tail& tail : tails.all()) {
    text += '\n';
    add({kLast, {{"name", tail.name}}});
    std::string_view words = tail.text;
    const bool cut = !tail.whole || words.size() > kTailBytes;
    if (words.size() > kTailBytes) words.remove_prefix(words.size() - kTailBytes);
    if (cut) {
      add({kCut});
      words.remove_prefix(std::min(words.find('\n') + 1, words.size()));  // half a line
    }
    text += plain(words);
  }
  text = without_secrets_in_text(text);
  if (arguments.has("--hide-hosts")) text = without_hosts(text, hosts_of(answer, outside));
  return save_file(*arguments.value("--bundle"), text);
}

}  // namespace sx
