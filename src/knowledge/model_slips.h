// A model's name that was mistyped.
#pragma once

#include <optional>
#include <string_view>

namespace sx {

// The catalogue's or an alias's id that differs from this one by a slip of the hand: one or two
// letters of a long word, or a separator. Numbers must be the same, as another number is another
// model. Nothing for a known id, and when there is no such or more than one.
std::optional<std::string_view> id_without_slip(std::string_view id);

}  // namespace sx
