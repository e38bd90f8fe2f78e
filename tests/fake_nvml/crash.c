// Jumps to nowhere when the memory of GPU 1 is asked for.
#define BOX_MEMORY(gpu) \
  if ((gpu) == 1) *(volatile int*)8 = 1;
#include "box.h"
