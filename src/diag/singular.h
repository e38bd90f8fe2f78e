// "1 GPUs are" → "1 GPU is": what stands behind a number in an English sentence, when the number
// is one.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// Takes the counted words from the beginning of `rest`, which follows a number that is one, and
// writes them to `out` in the singular. Nothing happens where no word there is known as a plural.
void put_singular(std::string& out, std::string_view& rest);

}  // namespace sx
