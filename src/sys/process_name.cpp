// Letter by letter: a byte that is no UTF-8 costs one.
#include "sys/process_name.h"

#include "base/utf8.h"

namespace sx {

std::string shown_process_name(std::string_view name) {
  constexpr int kMost = 64;
  std::string shown;
  for (int i = 0; i < kMost && !name.empty(); ++i) {
    const CodePoint point = decode_utf8(name);
    const bool good = point.valid && !is_control(point.value) && !rearranges(point.value);
    shown += good ? name.substr(0, point.length) : std::string_view("?");
    name.remove_prefix(point.length);
  }
  return shown;
}

}  // namespace sx
