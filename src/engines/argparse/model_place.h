// Where the model stands among the words: on its own or behind a flag.
#pragma once

#include "engines/argparse/parse.h"

namespace sx::argparse {

// Fills Parsed::model and says which words are too many.
void choose_model(Parsed& parsed, const Line& line, Entry entry, const Dialect& dialect);

}  // namespace sx::argparse
