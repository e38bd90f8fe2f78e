// SX9107. The long explanation and the scenes are in key_easily_guessed.md.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kEmpty{"{flag} is empty: the server asks for no key", "{flag} 为空：服务不校验密钥"};
constexpr Text kShort{"the key of {flag} has {length} characters and is soon guessed",
                      "{flag} 的密钥只有 {length} 个字符，很快会被猜中"};
constexpr Text kKnown{"the key of {flag} is one that guides print",
                      "{flag} 的密钥就是教程里的示例"};
constexpr Text kLabel{"the only thing that is asked", "访问时唯一的校验"};
constexpr Text kNothing{"counts as none", "等于没有"};
constexpr Text kBecause{
    "the port is open beyond this machine, and a key can be tried thousands of times a second",
    "端口对外开放，而密钥每秒可以试几千次"};
constexpr Text kBecauseEmpty{"an empty key counts as no key", "空密钥等于没有密钥"};
constexpr Text kOtherwise{"whoever guesses it can use the GPUs", "猜中密钥的人就能占用 GPU"};
constexpr Text kOtherwiseEmpty{"whoever reaches the port can use the GPUs",
                               "能访问端口的人都可以占用 GPU"};
constexpr Text kMake{
    "make a random one and keep it out of the command: openssl rand -hex 32 writes 64 characters",
    "随机生成一个，并且不要写在命令里：openssl rand -hex 32 会输出 64 个字符"};

constexpr std::size_t kShortest = 12;  // letters and digits by chance: 60 bits and more
constexpr std::array<std::string_view, 8> kPrinted{
    "token-abc123",  "sk-no-key-required", "your-api-key",    "your_api_key",
    "sk-1234567890", "my-secret-key",      "example-api-key", "sk-your-api-key"};

Message title_of(const std::string& flag, const std::string& key) {
  const Argument name("flag", flag);
  if (key.empty()) return {kEmpty, {name}};
  if (std::ranges::find(kPrinted, lower(key)) != kPrinted.end()) return {kKnown, {name}};
  return {kShort, {name, {"length", key.size()}}};
}

bool reached(const Case& c) {
  if (!c.serve.host.known() || is_local(c.serve.host.value())) return false;
  const bool of_host = c.around.contained() && c.around.host_network.value_or(false);
  if (!own_network(c)) return c.serve.host.asked() || of_host;
  const PublishedPort* entry = published(c, c.serve.port.value_or(0));
  return entry != nullptr && !is_local(entry->address);
}

std::vector<Complaint> check(const Case& c) {
  const FlagUse* use = c.serve.use_of("--api-key");
  if (use == nullptr || !use->complete || use->values.size() != 1 || !reached(c)) return {};
  const std::string& key = use->values.front();
  const bool known = std::ranges::find(kPrinted, lower(key)) != kPrinted.end();
  if (key.size() >= kShortest && !known) return {};
  if (key.empty() && c.serve.has_api_key.value_or(true)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = title_of(own_flag(c.serve, "--api-key"), key);
  mark(d, use->span, key.empty() ? kNothing : kLabel);
  d.because = key.empty() ? kBecauseEmpty : kBecause;
  d.otherwise = key.empty() ? kOtherwiseEmpty : kOtherwise;
  d.no_fix = kMake;
  d.subject = "--api-key";
  return {complaint};
}

}  // namespace

extern const Rule key_easily_guessed{
    .code = "SX9107",
    .name = "key-easily-guessed",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
