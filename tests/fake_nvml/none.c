// The driver is there and sees no GPU.
#define BOX_COUNT 0
#include "box.h"
