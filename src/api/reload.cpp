// The order matters: at every moment the file that lies there is one that the journal knows.
#include "api/reload.h"

#include <unistd.h>

#include "diag/message.h"
#include "sys/file_hash.h"
#include "sys/files.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr Bytes kMostDeployment = mib(16);
constexpr const char* kDeployment = "deployment";  // the hash of the one that runs
constexpr const char* kNext = "deployment-next";   // of the one whose file is being written
constexpr unsigned kOursAlone = 0600;              // it holds environments

constexpr Text kOtherName{"{running} runs here, and the file is of {wanted}",
                          "这里运行的是 {running}，文件写的却是 {wanted}"};
constexpr Text kOtherAddress{
    "the address {running} cannot become {wanted} while it runs; `sextant down` and `up` change it",
    "运行期间对外地址不能从 {running} 改为 {wanted}；要更改，请先 `sextant down` 再 `up`"};

std::string address(const Deployment& deployment) {
  return deployment.host + ':' + std::to_string(deployment.port);
}

std::string before_path(const StateFolder& folder) { return folder.path + "/before.json"; }

// Written under its new name in the journal first, so that both are known while it is written.
Result<void> replace_file(const StateFolder& folder, Journal& journal,
                          const Deployment& deployment) {
  const std::string text = deployment_json(deployment);
  const std::string hash = sha256_of(text);
  if (auto noted = journal.remember(kNext, hash); !noted) return noted;
  if (auto saved = save_file(folder.deployment(), text, kOursAlone); !saved) return saved;
  return journal.remember(kDeployment, hash);
}

}  // namespace

Result<void> may_turn_into(const Deployment& running, const Deployment& wanted) {
  if (running.name != wanted.name)
    return fail(Error::Kind::Usage,
                in_both({kOtherName, {{"running", running.name}, {"wanted", wanted.name}}}));
  if (address(running) != address(wanted))
    return fail(
        Error::Kind::Usage,
        in_both({kOtherAddress, {{"running", address(running)}, {"wanted", address(wanted)}}}));
  return {};
}

Result<void> note_reload(const StateFolder& folder, Journal& journal, const Deployment& wanted,
                         const std::optional<Deployment>& before) {
  if (before && !before_reload(folder)) {
    const std::string text = deployment_json(*before);
    if (auto saved = save_file(before_path(folder), text, kOursAlone); !saved) return saved;
  }
  return replace_file(folder, journal, wanted);
}

Result<void> note_reload_end(const StateFolder& folder, Journal& journal, const Deployment& now) {
  auto replaced = replace_file(folder, journal, now);
  if (replaced) forget_reload(folder);
  return replaced;
}

bool is_noted(const Journal& journal, std::string_view deployment_text) {
  const std::string hash = sha256_of(deployment_text);
  return journal.remembered(kDeployment) == hash || journal.remembered(kNext) == hash;
}

Result<void> note_deployment(Journal& journal, std::string_view deployment_text) {
  if (auto noted = journal.remember(kDeployment, sha256_of(deployment_text)); !noted) return noted;
  return journal.remember(kNext, "");
}

void forget_deployment(Journal& journal) {
  [[maybe_unused]] const auto noted = journal.remember(kDeployment, "");
  [[maybe_unused]] const auto next = journal.remember(kNext, "");
}

std::optional<Deployment> before_reload(const StateFolder& folder) {
  const auto text = real_files().read(before_path(folder), kMostDeployment);
  if (!text) return std::nullopt;
  auto read = read_deployment(*text);
  if (!read) return std::nullopt;
  return std::move(*read);
}

void forget_reload(const StateFolder& folder) { ::unlink(before_path(folder).c_str()); }

}  // namespace sx
