// `sextant keys add|list|revoke`: who may use a gateway. A key is shown once, when it is made.
#include <boost/json.hpp>
#include <filesystem>

#include "cli/daemon_talk.h"
#include "cli/number_flag.h"
#include "gateway/key_store.h"
#include "run/deployment.h"
#include "run/new_mark.h"
#include "run/state_folder.h"
#include "sys/files.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Text kWhat{"keys takes one of add, list, revoke; add and revoke also a name",
                     "keys 后面写 add、list 或 revoke；add 与 revoke 还要写名称"};
constexpr Text kName{
    "'{name}' is no name of a key: letters, digits, '_', and behind the first also "
    "'-' and '.', at most 64",
    "'{name}' 不能作为密钥名称：只能含字母、数字、“_”，首字符之后还可用“-”和“.”，"
    "最多 64 个字符"};
constexpr Text kWhichFile{
    "which file of keys? --file FILE, or a deployment whose `key_file` is set (--name NAME)",
    "密钥文件在哪里？用 --file 指定，或用 --name 指定一个设置了 `key_file` 的部署"};
constexpr Text kTaken{"{name} has a key already; `sextant keys revoke {name}{where}` ends it",
                      "{name} 已有密钥；用 `sextant keys revoke {name}{where}` 吊销"};
constexpr Text kInFile{
    "the keys of {name} stand in its deployment file; change them there, then `sextant "
    "reload{flag}`",
    "{name} 的密钥写在部署文件里；在其中修改后执行 `sextant reload{flag}`"};
constexpr Text kUnknown{
    "no key in {path} has the name {name}; `sextant keys list{where}` names them",
    "{path} 中没有名为 {name} 的密钥；`sextant keys list{where}` 列出全部"};
constexpr Text kNoFileYet{"there is no {path}; `sextant keys add NAME{where}` makes it",
                          "没有 {path} 这个文件；`sextant keys add NAME{where}` 会建立它"};
constexpr Text kRevokedBefore{"the key {name} was revoked at {time}",
                              "密钥 {name} 已于 {time} 吊销"};
constexpr Text kMany{"the file holds {most} keys, which is its limit",
                     "密钥文件已有 {most} 个密钥，达到上限"};
constexpr Text kOnce{"shown this once; {path} holds only its digest",
                     "只显示这一次；{path} 中只保存其摘要"};
constexpr Text kRevoked{"{name} is revoked; gateways let it in for a second more at most",
                        "{name} 已吊销；网关最多一秒后不再放行"};
constexpr Text kNone{"{path} holds no key", "{path} 中没有密钥"};
constexpr std::size_t kMostKeys = 10'000;  // what a file may hold

// 0 where no flag says otherwise.
Result<KeyLimits> limits_of(const Arguments& arguments) {
  KeyLimits limits;
  SX_TRY(limits.concurrency, number_or(arguments, {"--concurrency", 1, kMostAtATime}, 0));
  SX_TRY(limits.tokens_per_minute,
         number_or(arguments, {"--tokens-per-minute", 1, kMostTokensPerMinute}, 0));
  SX_TRY(const auto body_mib, number_or(arguments, {"--body-mib", 1, kMostBodyBytes >> 20U}, 0));
  limits.body_bytes = std::int64_t{body_mib} << 20U;
  SX_TRY(limits.priority, number_or(arguments, {"--priority", 1, kMostPriority}, 0));
  return limits;
}

// --file, or what the record of a deployment names.
Result<std::string> file_of(const Arguments& arguments, const Session& session) {
  if (const auto file = arguments.value("--file"))
    return std::filesystem::absolute(*file).lexically_normal().string();
  SX_TRY(const auto folder,
         state_folder(session.outside.environment, arguments.value("--name").value_or("default")));
  const auto text = real_files().read(folder.deployment(), mib(16));
  if (!text && text.error().kind != Error::Kind::Absent) return std::unexpected(text.error());
  if (text) {
    SX_TRY(const auto deployment, read_deployment(*text));
    if (!deployment.key_file.empty()) return deployment.key_file;
  }
  return fail(Error::Kind::Usage, in_both({kWhichFile}));
}

// Where keys stand in the deployment file, theirs is made anew from it: what is added there is
// lost.
Result<void> may_change(const std::string& path, const Arguments& arguments,
                        const Session& session) {
  if (arguments.has("--file")) return {};
  const std::string name = deployment_name(arguments);
  SX_TRY(const auto folder, state_folder(session.outside.environment, name));
  if (path != folder.keys()) return {};
  return fail(Error::Kind::Refused,
              in_both({kInFile, {{"name", name}, {"flag", name_flag_of(name)}}}));
}

// As it was typed, for a command that is to meet the same file.
std::string where_of(const Arguments& arguments) {
  if (const auto file = arguments.value("--file")) return " --file " + *file;
  return name_flag_of(deployment_name(arguments));
}

// 256 bits from the system's random source.
Sha256 random_bytes() { return sha256_digest(new_mark() + new_mark() + new_mark()); }

Result<void> add(const std::string& path, const std::string& name, const Arguments& arguments,
                 Session& session, Language language) {
  SX_TRY(const auto limits, limits_of(arguments));
  const std::string key = key_of(random_bytes());
  const KeyRow row{.name = name,
                   .digest = sha256_digest(key),
                   .limits = limits,
                   .created = now_of_key(),
                   .revoked = {}};
  const auto changed = change_keys(path, [&](std::vector<KeyRow>& rows) -> Result<void> {
    const auto same = std::ranges::find(rows, name, &KeyRow::name);
    if (same != rows.end() && same->revoked.empty())
      return fail(Error::Kind::Refused,
                  in_both({kTaken, {{"name", name}, {"where", where_of(arguments)}}}));
    if (same != rows.end()) {
      *same = row;  // whoever had the name before had another key
      return {};
    }
    if (rows.size() >= kMostKeys)
      return fail(Error::Kind::Refused, in_both({kMany, {{"most", kMostKeys}}}));
    rows.push_back(row);
    return {};
  });
  if (!changed) return changed;
  session.output.answer(key + '\n');
  session.output.trouble(trouble_line(rendered({kOnce, {{"path", path}}}, language), language));
  return {};
}

Result<void> is_there(const std::string& path, const Arguments& arguments) {
  const auto info = real_files().info(path);
  if (info || info.error().kind != Error::Kind::Absent) return {};
  return fail(Error::Kind::Absent,
              in_both({kNoFileYet, {{"path", path}, {"where", where_of(arguments)}}}));
}

Result<void> revoke(const std::string& path, const std::string& name, const Arguments& arguments,
                    Session& session, Language language) {
  if (auto there = is_there(path, arguments); !there) return there;
  const auto changed = change_keys(path, [&](std::vector<KeyRow>& rows) -> Result<void> {
    const auto row = std::ranges::find(rows, name, &KeyRow::name);
    if (row == rows.end())
      return fail(
          Error::Kind::Absent,
          in_both({kUnknown, {{"name", name}, {"path", path}, {"where", where_of(arguments)}}}));
    if (!row->revoked.empty())
      return fail(Error::Kind::Refused,
                  in_both({kRevokedBefore, {{"name", name}, {"time", row->revoked}}}));
    row->revoked = now_of_key();
    return {};
  });
  if (!changed) return changed;
  session.output.answer(rendered({kRevoked, {{"name", name}}}, language) + '\n');
  return {};
}

std::string as_json(const std::vector<KeyRow>& rows) {
  boost::json::array keys;
  for (const KeyRow& row : rows) {
    boost::json::object key{{"name", row.name}, {"created", row.created}};
    key["revoked"] =
        row.revoked.empty() ? boost::json::value(nullptr) : boost::json::value(row.revoked);
    const auto limit = [&](std::string_view name, std::int64_t value) {
      key[boost::json::string_view(name.data(), name.size())] =
          value == 0 ? boost::json::value(nullptr) : boost::json::value(value);
    };
    limit("concurrency", row.limits.concurrency);
    limit("tokens_per_minute", row.limits.tokens_per_minute);
    limit("body_bytes", row.limits.body_bytes);
    key["priority"] = row.limits.priority;
    keys.push_back(std::move(key));
  }
  return boost::json::serialize(
             boost::json::object{{"schema", "sextant.key-list/1"}, {"keys", std::move(keys)}}) +
         '\n';
}

std::string as_table(const std::vector<KeyRow>& rows, Language language) {
  constexpr std::array<Text, 7> kHeads{Text{"name", "名称"},
                                       Text{"created", "创建时间"},
                                       Text{"requests at a time", "并发上限"},
                                       Text{"tokens per minute", "每分钟 token 上限"},
                                       Text{"body MiB", "请求体 MiB"},
                                       Text{"priority", "优先级"},
                                       Text{"revoked", "吊销时间"}};
  std::vector<std::vector<std::string>> cells(1);
  for (const Text& head : kHeads) cells.front().emplace_back(head.in(language));
  const auto limit = [](std::int64_t value) {
    return value == 0 ? std::string("-") : std::to_string(value);
  };
  for (const KeyRow& row : rows) {
    cells.push_back({row.name, row.created, limit(row.limits.concurrency),
                     limit(row.limits.tokens_per_minute), limit(row.limits.body_bytes >> 20U),
                     std::to_string(row.limits.priority), row.revoked.empty() ? "-" : row.revoked});
  }
  using enum Align;
  return table(cells, {Left, Left, Right, Right, Right, Right, Left});
}

Result<void> list(const std::string& path, const Arguments& arguments, Session& session,
                  Language language) {
  if (auto there = is_there(path, arguments); !there) return there;
  SX_TRY(const auto rows, load_keys(path));
  if (arguments.value("--format") == "json")
    session.output.answer(as_json(rows));
  else if (rows.empty())
    session.output.trouble(trouble_line(rendered({kNone, {{"path", path}}}, language), language));
  else
    session.output.answer(as_table(rows, language));
  return {};
}

Result<void> keys_done(const Arguments& arguments, Session& session, Language language) {
  const std::string what = arguments.words.empty() ? "" : arguments.words.front();
  const bool named = what == "add" || what == "revoke";
  if ((!named && what != "list") || arguments.words.size() != (named ? 2U : 1U))
    return fail(Error::Kind::Usage, in_both({kWhat}));
  const std::string name = named ? arguments.words.back() : "";
  if (named && !is_key_name(name))
    return fail(Error::Kind::Usage, in_both({kName, {{"name", name}}}));
  SX_TRY(const auto path, file_of(arguments, session));
  if (named) {
    if (auto may = may_change(path, arguments, session); !may) return may;
  }
  if (what == "add") return add(path, name, arguments, session, language);
  if (what == "revoke") return revoke(path, name, arguments, session, language);
  return list(path, arguments, session, language);
}

}  // namespace

int keys_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const auto done = keys_done(arguments, session, language);
  if (done) return kDone;
  session.output.trouble(trouble_line(done.error(), language));
  return kCouldNot;
}

}  // namespace sx
