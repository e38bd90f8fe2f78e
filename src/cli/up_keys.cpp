// The file is made anew each time, so that a key that is taken out of the deployment is no key.
#include "cli/up_keys.h"

#include "cli/open_address.h"
#include "gateway/key_store.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

constexpr Text kNotSet{"the key of {name}: there is no variable {variable}",
                       "{name} 的密钥：没有环境变量 {variable}"};
constexpr Text kShort{"the key of {name}: {variable} holds {count} characters, fewer than {least}",
                      "{name} 的密钥：{variable} 只有 {count} 个字符，少于 {least}"};

constexpr Text kTwice{"{name} and {other} have the same key", "{name} 与 {other} 的密钥相同"};

}  // namespace

Result<void> take_keys(UpAsk& ask, const Environment& environment) {
  for (auto& [name, key] : ask.keys) {
    if (!key.starts_with('$')) continue;
    const std::string variable = key.substr(1);
    const auto value = environment.get(variable);
    if (!value)
      return fail(Error::Kind::Usage, in_both({kNotSet, {{"name", name}, {"variable", variable}}}));
    if (value->size() < kLeastKeyLength)
      return fail(Error::Kind::Usage, in_both({kShort,
                                               {{"name", name},
                                                {"variable", variable},
                                                {"count", value->size()},
                                                {"least", kLeastKeyLength}}}));
    key = *value;
  }
  std::map<std::string_view, std::string_view> owners;
  for (const auto& [name, key] : ask.keys) {
    const auto [owner, first] = owners.try_emplace(key, name);
    if (!first)
      return fail(Error::Kind::Usage,
                  in_both({kTwice, {{"name", owner->second}, {"other", name}}}));
  }
  return {};
}

Result<void> may_be_open(const UpAsk& ask, const Arguments& arguments) {
  return may_open({.host = ask.host,
                   .key_file = ask.key_file,
                   .reason = arguments.value("--anyway").value_or(""),
                   .keys_are = "key_file = \"FILE\"",
                   .keys_given = !ask.keys.empty()});
}

Result<void> keep_keys(const UpAsk& ask) {
  if (ask.keys.empty()) return {};
  const std::string now = now_of_key();
  return change_keys(ask.key_file, [&](std::vector<KeyRow>& rows) -> Result<void> {
    rows.clear();
    for (const auto& [name, key] : ask.keys)
      rows.push_back({.name = name,
                      .digest = sha256_digest(key),
                      .limits = {},
                      .created = now,
                      .revoked = {}});
    return {};
  });
}

}  // namespace sx
