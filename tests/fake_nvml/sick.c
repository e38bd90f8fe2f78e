// Cards with errors of memory, heat, missing lanes and somebody on them.
#define BOX_SICK 1
#include "box.h"
