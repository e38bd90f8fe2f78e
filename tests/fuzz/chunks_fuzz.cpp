// Any bytes as a chunked body, cut where the first byte says: the same payload, end and judgement
// as in one piece. The ends of events, looked for in the payload, lie behind blank lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "gateway/chunks.h"
#include "gateway/events.h"

namespace {

struct All {
  std::string payload;
  std::size_t used = 0;
  bool done = false, broken = false;
  bool operator==(const All&) const = default;
};

All read(std::string bytes, std::size_t step) {
  All all;
  sx::ChunkReader reader;
  for (std::size_t at = 0; at < bytes.size() && !reader.done() && !reader.broken(); at += step) {
    const std::size_t size = std::min(step, bytes.size() - at);
    const auto piece = reader.read({bytes.data() + at, size});
    SX_ASSERT(piece.at + piece.payload <= size && piece.used <= size);
    all.payload.append(bytes, at + piece.at, piece.payload);
    all.used = at + piece.used;
  }
  all.done = reader.done();
  all.broken = reader.broken();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const All whole = read(bytes, bytes.size() + 1);
  SX_ASSERT(whole == read(bytes, std::size_t{data[0]} + 1));
  SX_ASSERT(whole.payload.size() <= bytes.size());
  const std::size_t end = sx::last_event_end(whole.payload);
  SX_ASSERT(end <= whole.payload.size());
  if (end > 0) SX_ASSERT(whole.payload[end - 1] == '\n' || whole.payload[end - 1] == '\r');
  for (std::size_t seen = 0; seen < whole.payload.size(); seen += 1 + seen / 4) {
    // Bytes that hold no end need not be looked at again.
    if (sx::last_event_end(whole.payload.substr(0, seen)) == 0)
      SX_ASSERT(sx::last_event_end(whole.payload, seen) == end);
  }
  return 0;
}
