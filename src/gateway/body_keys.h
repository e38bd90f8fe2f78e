// What a relay must know of a JSON body, found by running over it once: nothing is built, nothing
// is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "knowledge/gateway_paths.h"

namespace sx {

// Some bytes of a body; size 0: it has none such.
struct BodyPart {
  std::size_t at = 0, size = 0;
  std::string_view of(std::string_view body) const { return body.substr(at, size); }
};

struct BodyKeys {
  bool object = false;               // it is a JSON object, as far as its braces and strings say
  std::optional<std::string> model;  // the last one counts, as engines read it
  bool model_is_text = true;         // false: `model` is there and is no string
  bool stream = false;
  // The values as they stand, quotes and brackets included; of several the last.
  BodyPart model_value, messages, prompt, input, system, instructions, previous, cache_key;
  std::size_t front = 0;  // behind the first brace
  bool empty = false;     // nothing is between the braces
};
BodyKeys find_body_keys(std::string_view json);

// The field `model` of a form with parts (audio, images).
std::optional<BodyPart> find_form_model(std::string_view body);
std::optional<std::string> model_of_form(std::string_view body);

// What the requests of one conversation have in common: its instructions and its first question, as
// bytes; at most 4 KiB of them are looked at.
struct ConversationKey {
  std::uint64_t whole = 0;  // 0: nothing that a cache of prefixes could keep
  std::uint64_t order = 0;  // of long instructions alone, which conversations share; else `whole`
};
ConversationKey conversation_key(std::string_view body, const BodyKeys& keys, Surface surface);

// The id of the answer that this one goes on from, as it stands; empty: none.
std::string_view previous_answer(std::string_view body, const BodyKeys& keys);
// The first id in the front of an answer: that of the answer itself. Empty: none is there.
std::string_view answer_id(std::string_view front);

// Another name in place of the model, or in front where there is none. Nothing else changes.
void put_model(std::string& body, const BodyKeys& keys, std::string_view model);
void put_form_model(std::string& body, const BodyPart& place, std::string_view model);

}  // namespace sx
