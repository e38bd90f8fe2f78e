// A fix said in a deployment file: the command that it makes, written back into the words there.
#pragma once

#include <string_view>
#include <vector>

#include "base/source.h"
#include "cli/file_words.h"
#include "diag/diagnostic.h"

namespace sx {

// The edits of the file that turn the launch `before`, on one line, into `after`, in their order.
// Empty: the file cannot say it (the word is a value of `up` itself, or of another key), or nothing
// differs.
std::vector<Edit> file_edits(const Sources& sources, const ModelWords& model,
                             std::string_view before, std::string_view after);

}  // namespace sx
