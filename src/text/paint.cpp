// SGR sequences: the sixteen colours that every terminal has and every theme sets.
#include "text/paint.h"

namespace sx {
namespace {

std::string_view code(Paint paint) {
  switch (paint) {
    case Paint::Plain:
      return "";
    case Paint::Error:
      return "\x1b[1;31m";
    case Paint::Warning:
      return "\x1b[1;33m";
    case Paint::Advice:
      return "\x1b[1;36m";
    case Paint::Mark:
      return "\x1b[1;31m";
    case Paint::SecondMark:
      return "\x1b[1;34m";
    case Paint::Quiet:
      return "\x1b[2m";
    case Paint::Strong:
      return "\x1b[1m";
    case Paint::Command:
      return "\x1b[32m";
  }
  return "";
}

}  // namespace

std::string Painter::operator()(Paint paint, std::string_view text) const {
  const std::string_view start = code(paint);
  if (!colour_ || text.empty() || start.empty()) return std::string(text);
  return std::string(start) + std::string(text) + "\x1b[0m";
}

}  // namespace sx
