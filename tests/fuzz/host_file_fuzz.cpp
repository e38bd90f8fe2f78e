// Machine files: any bytes are answered or refused, and what is answered comes back the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "gather/host_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sx;
  Sources sources;
  const int source = sources.add(
      {.name = "m.json", .text = std::string(reinterpret_cast<const char*>(data), size)});
  const auto host = host_from_json(sources, source);
  if (!host) return 0;
  const std::string written = host_to_json(*host);
  const int second = sources.add({.name = "m.json", .text = written});
  const auto again = host_from_json(sources, second);
  SX_ASSERT(again.has_value());
  SX_ASSERT(host_to_json(*again) == written);
  return 0;
}
