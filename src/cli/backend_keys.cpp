// Each backend may ask for a key of its own: it is named by where it lies, never written down on
// the command line, which everybody on the machine may read.
#include <sys/stat.h>

#include "cli/gateway_flags.h"
#include "gather/command_text.h"
#include "run/engine_key.h"

namespace sx {
namespace {

constexpr Bytes kMostFile = mib(1);
constexpr std::string_view kForAll = "SEXTANT_BACKEND_KEY";

constexpr Text kNotSet{"--backend http://{host}:{port}: the variable {variable} is not set",
                       "--backend http://{host}:{port}：没有设置环境变量 {variable}"};
constexpr Text kNotRead{"--backend http://{host}:{port}: {why}",
                        "--backend http://{host}:{port}：{why}"};
constexpr Text kNoKey{
    "{file} holds no key: one line of at most {most} printable letters of ASCII, no blank at its "
    "ends",
    "{file} 中没有密钥：应为一行可打印的 ASCII 字符，最多 {most} 个，首尾没有空格"};
constexpr Text kNotSendable{
    "what {variable} holds is no key: at most {most} printable letters of ASCII, no blank at their "
    "ends",
    "{variable} 中不是密钥：应为可打印的 ASCII 字符，最多 {most} 个，首尾没有空格"};
constexpr Text kOpen{"{file} is open to other users of this machine; `chmod 600 {file}` closes it",
                     "{file} 对本机其他用户开放；用 `chmod 600 {file}` 收回权限"};

std::unexpected<Error> of_backend(const BackendUrl& backend, const Both& why) {
  return fail(Error::Kind::Usage,
              in_both({kNotRead, {{"host", backend.host}, {"port", backend.port}, {"why", why}}}));
}

Result<std::string> key_in_file(const BackendUrl& backend, const Outside& outside, FrontAsk& ask) {
  const std::string path = path_in(outside.folder, backend.key_file);
  const auto text = outside.files->read(path, kMostFile);
  if (!text) return of_backend(backend, {text.error().what, text.error().chinese});
  std::string key = first_key_in(*text);
  const Message none{kNoKey, {{"file", backend.key_file}, {"most", kMostKey}}};
  if (key.empty()) return of_backend(backend, in_both(none));
  const auto info = outside.files->info(path);
  const bool open = info && (info->permissions.value_or(0) & S_IRWXO) != 0;
  if (open && ask.trouble)
    ask.trouble({Error::Kind::Refused, in_both({kOpen, {{"file", backend.key_file}}})});
  return key;
}

Result<std::string> key_in_variable(const std::string& variable, const Environment& environment) {
  std::string key = environment.get(variable).value_or("");
  if (!key.empty() && !is_sendable_key(key))
    return fail(Error::Kind::Usage,
                in_both({kNotSendable, {{"variable", variable}, {"most", kMostKey}}}));
  return key;
}

}  // namespace

Result<void> take_backend_keys(const Outside& outside, FrontAsk& ask) {
  SX_TRY(ask.backend_key, key_in_variable(std::string(kForAll), outside.environment));
  for (BackendUrl& backend : ask.backends) {
    if (!backend.key_file.empty()) {
      SX_TRY(backend.key, key_in_file(backend, outside, ask));
    }
    if (backend.key_variable.empty()) continue;
    SX_TRY(backend.key, key_in_variable(backend.key_variable, outside.environment));
    if (backend.key.empty())
      return fail(Error::Kind::Usage, in_both({kNotSet,
                                               {{"host", backend.host},
                                                {"port", backend.port},
                                                {"variable", backend.key_variable}}}));
  }
  return {};
}

}  // namespace sx
