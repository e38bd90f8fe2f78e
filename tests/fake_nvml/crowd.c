// Claims more GPUs than any machine has.
#define BOX_COUNT 300
#include "box.h"
