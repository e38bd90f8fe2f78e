// Any bytes as a stream of tokens, cut where the first byte says: the same counts as in one piece.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "run/token_stream.h"

namespace {

struct All {
  int texts = 0, prompt = 0, output = 0;
  bool done = false;
  std::string error;
  bool operator==(const All&) const = default;
};

All read(std::string_view bytes, std::size_t step) {
  All all;
  sx::TokenStream stream;
  for (std::size_t at = 0; at < bytes.size(); at += step)
    all.texts += stream.feed(bytes.substr(at, step));
  all.prompt = stream.prompt_tokens();
  all.output = stream.output_tokens();
  all.done = stream.done();
  all.error = stream.error();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const All whole = read(bytes, std::max<std::size_t>(1, bytes.size()));
  SX_ASSERT(whole == read(bytes, 1 + data[0] % 17U));
  SX_ASSERT(whole.prompt >= -1 && whole.output >= -1);
  return 0;
}
