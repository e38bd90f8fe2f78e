// expect: operator
#include "base/bytes.h"

const auto kNonsense = sx::Bytes{1} + sx::Tokens{1};
