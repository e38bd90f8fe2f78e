// Where it may stand is a table's matter (knowledge/engine_keys.h); what the launch says there is
// read here.
#include "run/engine_key.h"

#include <algorithm>

#include "base/strings.h"
#include "diag/message.h"
#include "gather/command_text.h"
#include "gather/model_mount.h"
#include "knowledge/engine_keys.h"

namespace sx {
namespace {

constexpr Bytes kMostFile = mib(1);  // of keys, one a line

constexpr Text kUnread{
    "the engine asks for a key of {file} ({place}), and it cannot be read here: {why}",
    "引擎要求 {file}（{place}）中的密钥，而这里读不到它：{why}"};
constexpr Text kWhy{"{why}", "{why}"};
constexpr Text kInside{"it lies in the image, in no mounted folder",
                       "它在镜像里，不在任何挂载的目录中"};
constexpr Text kNotSent{
    "no key of {place} can be sent in a request: it takes 1 to {most} printable letters of ASCII "
    "without a blank at the ends",
    "{place} 中没有能随请求发送的密钥：应为 1 到 {most} 个可打印的 ASCII 字符，首尾没有空格"};

class KeyReader {
 public:
  KeyReader(const EngineLaunch& made, const Launch& launch, const Files& files)
      : made_(made), launch_(launch), files_(files) {}

  // Empty: it asks for none.
  Result<std::string> key() const {
    std::string_view asked_by;  // of keys that cannot be sent
    for (const EngineKeyPlace& place : engine_key_places(made_.engine)) {
      if (!place.unless.empty() && launch_.serve.use_of(place.unless) != nullptr) continue;
      SX_TRY(const auto keys, keys_at(place));
      const auto good = std::ranges::find_if(keys, is_sendable_key);
      if (good != keys.end()) return *good;
      if (std::ranges::any_of(keys, [](const std::string& key) { return !key.empty(); }))
        asked_by = place.name;
    }
    if (asked_by.empty()) return std::string();
    return fail(Error::Kind::Usage, in_both({kNotSent, {{"place", asked_by}, {"most", kMostKey}}}));
  }

 private:
  using Holds = EngineKeyPlace::Holds;

  Result<std::vector<std::string>> keys_at(const EngineKeyPlace& place) const {
    std::vector<std::string> texts = place.kind == EngineKeyPlace::Kind::Flag
                                         ? values_of(place)
                                         : variable(std::string(place.name));
    if (texts.empty() || place.holds == Holds::One || place.holds == Holds::List) return texts;
    if (place.holds == Holds::Commas) return parts_of(texts.back(), ',');
    if (texts.back().empty()) return std::vector<std::string>{};
    SX_TRY(const auto text, file(texts.back(), place.name));
    std::vector<std::string> keys = parts_of(text, '\n');
    std::erase_if(keys, [](const std::string& line) { return line.starts_with('#'); });
    return keys;
  }

  static std::vector<std::string> parts_of(std::string_view text, char separator) {
    const auto parts = split(text, separator);
    return {parts.begin(), parts.end()};
  }

  // Of the use that counts.
  std::vector<std::string> values_of(const EngineKeyPlace& place) const {
    const FlagUse* use = launch_.serve.use_of(place.name);
    return use == nullptr ? std::vector<std::string>{} : use->values;
  }

  // As the engine sees it: of ours a container has only what it is handed.
  std::vector<std::string> variable(const std::string& name) const {
    const auto found = made_.environment.find(name);
    if (found == made_.environment.end() || (!made_.container.empty() && !handed_in(name)))
      return {};
    return {found->second};
  }

  bool handed_in(const std::string& name) const {
    if (std::ranges::find(launch_.command.environment, name, &Setting::name) !=
        launch_.command.environment.end())
      return true;
    // One that was set since, with an option of its own (set_variable).
    const auto end = made_.words.begin() + made_.container_at;
    return std::any_of(made_.words.begin(), end, [&](const std::string& word) {
      return word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=';
    });
  }

  Result<std::string> file(const std::string& path, std::string_view place) const {
    const std::string folder = launch_.around.working_folder.value_or(made_.folder);
    const std::string inside = path_in(folder, path);
    // Of a container's own files we see those that are mounted.
    if (!made_.container.empty() && mount_over(launch_.around, inside) == nullptr)
      return unread(path, place, {kInside});
    auto text = files_.read(path_on_host(launch_.around, inside), kMostFile);
    if (text) return text;
    return unread(path, place, {kWhy, {{"why", Both{text.error().what, text.error().chinese}}}});
  }

  static std::unexpected<Error> unread(const std::string& path, std::string_view place,
                                       const Message& why) {
    return fail(Error::Kind::Usage,
                in_both({kUnread, {{"file", path}, {"place", place}, {"why", in_both(why)}}}));
  }

  const EngineLaunch& made_;
  const Launch& launch_;
  const Files& files_;
};

}  // namespace

bool is_sendable_key(std::string_view key) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  return !key.empty() && key.size() <= kMostKey && std::ranges::all_of(key, printable) &&
         key.front() != ' ' && key.back() != ' ';
}

std::string first_key_in(std::string_view text) {
  const auto lines = split(text, '\n');
  for (std::string_view line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('#') && is_sendable_key(line)) return std::string(line);
  }
  return {};
}

Result<void> take_engine_key(EngineLaunch& made, const Launch& launch, const Files& files) {
  SX_TRY(made.key, KeyReader(made, launch, files).key());
  return {};
}

}  // namespace sx
