// The library was updated and the kernel module was not.
#define BOX_INIT return 18;
#include "box.h"
