// A driver of 2019: no versioned functions, no NVLink, no MIG, no peer status.
#define BOX_OLD
#include "box.h"
