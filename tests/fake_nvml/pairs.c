// Nothing is wrong: two NVLink pairs.
#include "box.h"
