// Names of machines and sizes: any bytes are answered or refused.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "gather/gather_host.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sx;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto host = parse_machine_name(text);
  if (host) SX_ASSERT(!host->gpus.empty() && host->gpus.size() <= 64);
  if (!host) SX_ASSERT(host.error().kind == Error::Kind::Usage);
  const auto bytes = parse_bytes(text);
  if (bytes) SX_ASSERT(*bytes >= Bytes{0});
  return 0;
}
