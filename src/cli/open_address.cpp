// Looked at before anything is started.
#include "cli/open_address.h"

#include "diag/message.h"
#include "gateway/front.h"
#include "gateway/key_store.h"

namespace sx {
namespace {

constexpr Text kNoKeys{
    "{host} is open to other machines, and no key is asked for: {keys} lets in those whose key "
    "stands in that file (`sextant keys add`), --anyway \"reason\" lets in everybody",
    "{host} 对其他机器开放，而这里不要求密钥：{keys} 只放行该文件中的密钥（`sextant keys add`），"
    "--anyway \"理由\" 则放行所有人"};

}  // namespace

Result<void> may_open(const OpenAddress& address) {
  if (address.keys_given) return {};
  if (!address.key_file.empty()) {
    SX_TRY([[maybe_unused]] const auto rows, load_keys(address.key_file));
    return {};
  }
  if (only_this_machine(address.host) || !address.reason.empty()) return {};
  return fail(Error::Kind::Usage,
              in_both({kNoKeys, {{"host", address.host}, {"keys", address.keys_are}}}));
}

}  // namespace sx
