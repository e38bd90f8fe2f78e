// expect: a text needs both languages
#include "diag/message.h"

constexpr sx::Text kText{"{heads} heads", ""};
