// Memory that a short command is about to fill with small things, there before it is asked for.
#pragma once

#include "base/bytes.h"

namespace sx {

// Takes so much from the system at once and leaves it to the heap. A page that the system gives
// when it is first touched costs twice what it costs among hundreds given together. For commands
// that use it and end: after this the heap hands back nothing. Where the system or the library
// knows no such thing, pages come one by one as ever.
void make_heap_room(Bytes room);

}  // namespace sx
