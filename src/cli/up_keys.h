// Keys of a deployment file that stand in it or in variables: digests in a file of the deployment.
#pragma once

#include "cli/arguments.h"
#include "cli/up_ask.h"
#include "sys/environment.h"

namespace sx {

// Every "$NAME" by what the variable holds. An error where one is not set or holds too little.
Result<void> take_keys(UpAsk& ask, const Environment& environment);

// Refused: its address could be used by everybody, or its file of keys cannot be read.
Result<void> may_be_open(const UpAsk& ask, const Arguments& arguments);

// Writes them to `ask.key_file`, whole; nothing where the file is a person's own.
Result<void> keep_keys(const UpAsk& ask);

}  // namespace sx
