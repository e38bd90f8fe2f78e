// A short list, walked.
#include "gateway/label_set.h"

#include "base/utf8.h"

namespace sx {

std::string label_value(std::string_view text) {
  constexpr std::size_t kMostShown = 200;
  std::string out;
  for (const char c : valid_utf8(text.substr(0, kMostShown))) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::size_t LabelSet::add(std::string_view name) {
  names_.push_back({std::string(name), label_value(name)});
  return names_.size() - 1;
}

std::optional<std::size_t> LabelSet::find(std::string_view name) {
  if (names_[last_].name == name) return last_;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].name == name) return last_ = i;
  }
  return std::nullopt;
}

std::size_t LabelSet::index(std::string_view name) {
  constexpr std::string_view kOther = "other";
  if (const auto found = find(name)) return *found;
  if (names_.size() < most_ || name == kOther) return last_ = add(name);
  return index(kOther);
}

}  // namespace sx
