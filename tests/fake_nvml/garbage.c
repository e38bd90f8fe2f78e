// Fills the buffers of names with bytes that are no text and no end.
#define BOX_NAME(text, length) memset(text, 0xfe, length)
#include "box.h"
