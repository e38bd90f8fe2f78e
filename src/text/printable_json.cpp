// Letters beyond ASCII stand only inside the strings of a JSON document, so each may become an
// escape where it stands.
#include "text/printable_json.h"

#include "base/utf8.h"

namespace sx {

std::string printable_json(std::string_view document) {
  std::string out;
  out.reserve(document.size());
  while (!document.empty()) {
    const char first = document.front();
    const CodePoint point = decode_utf8(document);
    const std::string_view letter = document.substr(0, point.length);
    const bool layout = static_cast<unsigned char>(first) < 0x20U;  // line ends between values
    if (point.valid && !layout && (is_control(point.value) || rearranges(point.value))) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4)
        out += kHex[(static_cast<unsigned>(point.value) >> shift) & 15U];
    } else {
      out += letter;
    }
    document.remove_prefix(point.length);
  }
  return out;
}

}  // namespace sx
