// The order matters: at every moment the file that lies there is one that the journal knows.
#include "api/reload.h"

#include <unistd.h>

#include "base/strings.h"
#include "diag/message.h"
#include "sys/file_hash.h"
#include "sys/files.h"
#include "sys/save_file.h"

namespace sx {
namespace {

constexpr Bytes kMostDeployment = mib(16);
constexpr const char* kDeployment = "deployment";       // the hash of the one that runs
constexpr const char* kNext = "deployment-next";        // of the one whose file is being written
constexpr const char* kNextLayout = "layout-next";      // of that one
constexpr const char* kLayoutBefore = "layout-before";  // of what a reload may go back to
constexpr const char* kTurnedBack = "turned-back";  // why a reload goes back; empty: it does not
constexpr unsigned kOursAlone = 0600;               // it holds environments

constexpr Text kOtherName{"{running} runs here, and the file is of {wanted}",
                          "这里运行的是 {running}，文件写的却是 {wanted}"};
constexpr Text kOtherAddress{
    "the address {running} cannot become {wanted} while it runs; `sextant down{flag}` and `up` "
    "change it",
    "运行期间对外地址不能从 {running} 改为 {wanted}；要更改，先 `sextant down{flag}` 再 `up`"};
constexpr std::string_view kNeedsNoFlag = "default";

std::string before_path(const StateFolder& folder) { return folder.path + "/before.json"; }

// What lay there until the journal knows the next one: to go back takes no room on a full disk.
std::string kept_path(const StateFolder& folder) { return folder.deployment() + ".kept"; }

// Written under its new name in the journal first, so that both are known while it is written.
// Refused: the file is the one that lay there.
Result<void> replace_file(const StateFolder& folder, Journal& journal, const Running& running,
                          Journal::Names more) {
  const std::string text = deployment_json(running.deployment);
  const std::string hash = sha256_of(text);
  const std::string layout = std::to_string(running.layout);
  if (auto noted = journal.remember({{kNext, hash}, {kNextLayout, layout}}); !noted) return noted;
  const std::string kept = kept_path(folder);
  ::unlink(kept.c_str());
  const bool can_go_back = ::link(folder.deployment().c_str(), kept.c_str()) == 0;
  auto written = save_file(folder.deployment(), text, kOursAlone);
  if (written) {
    more.emplace_back(kDeployment, hash);
    more.emplace_back(kLayout, layout);
    written = journal.remember(more);
    if (!written && can_go_back) ::rename(kept.c_str(), folder.deployment().c_str());
  }
  ::unlink(kept.c_str());
  return written;
}

std::optional<std::size_t> number_of(const Journal& journal, const char* name) {
  const auto number = to_integer(journal.remembered(name).value_or(""));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

std::optional<Deployment> before_reload(const StateFolder& folder) {
  const auto text = real_files().read(before_path(folder), kMostDeployment);
  if (!text) return std::nullopt;
  auto read = read_deployment(*text);
  if (!read) return std::nullopt;
  return std::move(*read);
}

}  // namespace

Result<void> may_turn_into(const Deployment& running, const Deployment& wanted) {
  if (running.name != wanted.name)
    return fail(Error::Kind::Usage,
                in_both({kOtherName, {{"running", running.name}, {"wanted", wanted.name}}}));
  const std::string flag = running.name == kNeedsNoFlag ? "" : " --name " + running.name;
  if (address_of(running) != address_of(wanted))
    return fail(
        Error::Kind::Usage,
        in_both(
            {kOtherAddress,
             {{"running", address_of(running)}, {"wanted", address_of(wanted)}, {"flag", flag}}}));
  return {};
}

Result<void> note_reload(const StateFolder& folder, Journal& journal, const Running& wanted,
                         const std::optional<Running>& before) {
  const bool first = before && !before_reload(folder);
  if (first) {
    const std::string layout = std::to_string(before->layout);
    if (auto noted = journal.remember(kLayoutBefore, layout); !noted) return noted;
    const std::string text = deployment_json(before->deployment);
    if (auto saved = save_file(before_path(folder), text, kOursAlone); !saved) return saved;
  }
  auto replaced = replace_file(folder, journal, wanted, {{kTurnedBack, ""}});
  if (!replaced && first) ::unlink(before_path(folder).c_str());
  return replaced;
}

Result<void> note_turn_back(const StateFolder& folder, Journal& journal, const Running& now,
                            const std::string& cause) {
  auto replaced = replace_file(folder, journal, now, {{kTurnedBack, cause}});
  if (replaced) ::unlink(before_path(folder).c_str());
  return replaced;
}

Result<void> note_reload_end(const StateFolder& folder, Journal& journal, const Running& now) {
  auto replaced = replace_file(folder, journal, now, {{kTurnedBack, ""}});
  if (replaced) ::unlink(before_path(folder).c_str());
  return replaced;
}

std::optional<std::size_t> noted_layout(const Journal& journal, std::string_view deployment_text) {
  const std::string hash = sha256_of(deployment_text);
  if (journal.remembered(kDeployment) == hash) return number_of(journal, kLayout);
  if (journal.remembered(kNext) == hash) return number_of(journal, kNextLayout);
  return std::nullopt;
}

Result<void> note_deployment(Journal& journal, std::string_view deployment_text,
                             std::optional<std::size_t> layout) {
  return journal.remember({{kDeployment, sha256_of(deployment_text)},
                           {kNext, ""},
                           {kLayout, layout ? std::to_string(*layout) : std::string()}});
}

void forget_deployment(Journal& journal) {
  for (const char* name : {kDeployment, kNext}) journal.remember_later(name, "");
}

std::optional<Supervisor::Resumed> unfinished_reload(const StateFolder& folder,
                                                     const Journal& journal) {
  Supervisor::Resumed resumed{.before = before_reload(folder)};
  resumed.layout_before = number_of(journal, kLayoutBefore).value_or(0);
  if (!resumed.before) resumed.cause = journal.remembered(kTurnedBack).value_or("");
  if (!resumed.before && resumed.cause.empty()) return std::nullopt;
  return resumed;
}

void forget_reload(const StateFolder& folder, Journal& journal) {
  ::unlink(kept_path(folder).c_str());
  ::unlink(before_path(folder).c_str());
  journal.remember_later(kTurnedBack, "");
}

}  // namespace sx
