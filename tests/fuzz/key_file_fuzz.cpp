// Any bytes as a file of keys: what is taken is written and read again the same, and lets in
// whoever its rows say.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rows = sx::read_key_file(text);
  if (!rows) return 0;
  const auto again = sx::read_key_file(sx::key_file_text(*rows));
  SX_ASSERT(again && *again == *rows);
  sx::GatewayKeys keys;
  keys.set(*rows);
  std::size_t good = 0;
  for (const sx::KeyRow& row : *rows) good += row.revoked.empty() ? 1 : 0;
  SX_ASSERT(keys.good() == good && keys.uses().size() == rows->size());
  return 0;
}
