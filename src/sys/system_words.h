// What the system says of an errno, in both languages: it speaks English alone unless a locale with
// its translations is installed.
#pragma once

#include "base/both.h"

namespace sx {

// "Permission denied", "没有权限"; of a rare one the English words stand in both.
Both system_words(int error);

}  // namespace sx
