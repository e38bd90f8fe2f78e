// Characters that word processors, chat programs and input methods put in place of ASCII.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/command.h"

namespace sx::rules {

// The text with ASCII in place of curly quotes, long dashes, full-width letters and blanks of other
// kinds; nothing when it has none, or when it is text in another script that may have them rightly.
// `first` gets the first such character.
std::optional<std::string> as_ascii(std::string_view text, std::string* first = nullptr);

// The same for a word of a command. One that begins with a long dash is another rule's.
std::optional<std::string> cleaned(const Word& word);

}  // namespace sx::rules
