// Lines of many budgets say the same: a search for layouts makes a sentence once and shares it.
#pragma once

#include <optional>
#include <utility>

#include "fit/notes.h"

namespace sx {

// The newest notes, by all that stands in them.
template <class Key>
class NewestNotes {
 public:
  template <class Make>
  const Notes& of(Key key, const Make& make) {
    if (key_ != key) {
      notes_ = make();
      key_ = std::move(key);
    }
    return notes_;
  }

 private:
  std::optional<Key> key_;
  Notes notes_;
};

}  // namespace sx
