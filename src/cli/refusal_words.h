// What an engine or a gateway says in the body of a refusal, short enough for one line.
#pragma once

#include <string>
#include <string_view>

#include "diag/message.h"

namespace sx {

// Its `message` in the language where it has one, else what there is.
std::string refusal_words(std::string_view body, Language language);

// For a terminal, cut between letters.
std::string shortened_answer(std::string text);

}  // namespace sx
