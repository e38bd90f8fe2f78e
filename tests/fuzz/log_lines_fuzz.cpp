// Any bytes as lines of a log: every part of a line lies within it, blocks hold whole lines, and no
// byte is lost but the ends of overlong lines.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "read/log_blocks.h"
#include "read/log_line.h"

namespace {

bool within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string together;
  sx::LogLineReader reader;
  sx::LogBlocks blocks([&](std::string_view block) {
    together += block;
    while (!block.empty()) {
      const std::size_t end = block.find_first_of("\r\n");
      const sx::LogLine line = reader.read(block.substr(0, end));
      SX_ASSERT(within(line.text, line.whole));
      SX_ASSERT(within(line.process, line.whole));
      SX_ASSERT(within(line.stamp, line.whole));
      SX_ASSERT(within(line.place, line.whole));
      if (end == std::string_view::npos) break;
      block.remove_prefix(end + 1);
    }
  });
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 64U;
  for (std::size_t at = 0; at < text.size(); at += piece) blocks.feed(text.substr(at, piece));
  blocks.end();
  SX_ASSERT(blocks.cut_lines() > 0 || together == text);
  return 0;
}
