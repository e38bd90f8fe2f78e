// Where the model stands among the words: on its own or behind a flag.
#pragma once

#include "engines/argparse/parse.h"

namespace sx::argparse {

// Fills Parsed::model and says which words are too many.
void choose_model(Parsed& parsed, const Line& line, Entry entry, const Dialect& dialect);

// The model that was chosen as the fact, and which word of the launch it is. False, and nothing
// changed, where there is none: engines differ in what that means.
bool fill_model_place(ServeSpec& serve, const Parsed& parsed, const Sources& sources);

}  // namespace sx::argparse
