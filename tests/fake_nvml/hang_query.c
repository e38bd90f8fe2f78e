// Does not come back when the memory of GPU 2 is asked for.
#define BOX_MEMORY(gpu) \
  if ((gpu) == 2)       \
    for (;;) pause();
#include "box.h"
