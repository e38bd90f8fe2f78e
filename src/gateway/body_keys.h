// What a relay must know of a JSON body, found by running over it once: nothing is built, nothing
// is changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sx {

struct BodyKeys {
  bool object = false;               // it is a JSON object, as far as its braces and strings say
  std::optional<std::string> model;  // the last one counts, as engines read it
  bool model_is_text = true;         // false: `model` is there and is no string
  bool stream = false;
};
BodyKeys find_body_keys(std::string_view json);

// The field `model` of a form with parts (audio, images).
std::optional<std::string> model_of_form(std::string_view body);

}  // namespace sx
