// Does not come back from its initialisation.
#define BOX_INIT \
  for (;;) pause();
#include "box.h"
