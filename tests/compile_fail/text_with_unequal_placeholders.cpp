// expect: the two languages use different placeholders
#include "diag/message.h"

constexpr sx::Text kText{"{heads} heads over {gpus} GPUs", "{heads} 个注意力头"};
