// Any bytes as the file of an engine's keys: what is shown to the engine is one of its lines and
// can stand in a head.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/strings.h"
#include "run/engine_key.h"

namespace {

void is_a_line_of(std::string_view text, const std::string& key) {
  if (key.empty()) return;
  SX_ASSERT(sx::is_sendable_key(key));
  SX_ASSERT(key.find_first_of("\r\n") == std::string::npos);
  const auto lines = sx::split(text, '\n');
  SX_ASSERT(std::ranges::any_of(
      lines, [&](std::string_view line) { return line == key || line == key + '\r'; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  is_a_line_of(text, sx::first_key_in(text));
  sx::MemoryFiles files;
  files.add("/keys", std::string(text));
  sx::EngineLaunch made{.engine = "llamacpp", .environment = {{"LLAMA_ARG_API_KEY_FILE", "/keys"}}};
  if (sx::take_engine_key(made, sx::Launch{}, files)) is_a_line_of(text, made.key);
  return 0;
}
