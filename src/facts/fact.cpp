// The words of Origin, as the machine formats write them.
#include "facts/fact.h"

namespace sx {

std::string_view word(Origin origin) {
  switch (origin) {
    case Origin::Flag:
      return "flag";
    case Origin::Environment:
      return "environment";
    case Origin::Config:
      return "config";
    case Origin::Header:
      return "header";
    case Origin::Device:
      return "device";
    case Origin::Measured:
      return "measured";
    case Origin::Default:
      return "default";
    case Origin::Formula:
      return "formula";
    case Origin::Assumed:
      return "assumed";
  }
  SX_UNREACHABLE("an origin without a word");
}

}  // namespace sx
