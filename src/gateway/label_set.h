// Names that become label values: written for the page once, and bounded, whatever clients send.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// As a label value stands between its quotes: escaped, in valid UTF-8, at most 200 bytes of it.
std::string label_value(std::string_view text);

class LabelSet {
 public:
  explicit LabelSet(std::size_t most) : most_(most) { add(""); }
  // The number of a name; 0: the empty one. Once it is full a new one gets that of "other".
  std::size_t index(std::string_view name);
  std::optional<std::size_t> find(std::string_view name);  // nothing: it is not there
  std::size_t size() const { return names_.size(); }
  const std::string& shown(std::size_t index) const { return names_[index].shown; }
  std::string_view name(std::size_t index) const { return names_[index].name; }

 private:
  struct Name {
    std::string name, shown;
  };
  std::size_t add(std::string_view name);
  std::size_t most_;
  std::size_t last_ = 0;  // found: most requests ask for what the one before did
  std::vector<Name> names_;
};

}  // namespace sx
