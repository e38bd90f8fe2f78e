// The entries of a unit by section and key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gather/manifest_values.h"
#include "read/unit_file.h"
#include "read/unit_words.h"

namespace sx {

// Borrows the entries, which outlive it.
class UnitText {
 public:
  UnitText(const std::vector<UnitEntry>& entries, std::string_view file_name)
      : entries_(entries), name_(file_name) {
    const UnitEntry* user = last("Service", "User");
    specifiers_ = specifiers_of(name_, user == nullptr ? "root" : user->value.text());
  }

  const std::string& name() const { return name_; }
  const UnitSpecifiers& specifiers() const { return specifiers_; }

  std::vector<const UnitEntry*> all(std::string_view section, std::string_view key) const {
    std::vector<const UnitEntry*> found;
    for (const UnitEntry& entry : entries_) {
      if (entry.section == section && entry.key == key) found.push_back(&entry);
    }
    return found;
  }
  const UnitEntry* last(std::string_view section, std::string_view key) const {
    const auto found = all(section, key);
    return found.empty() || found.back()->value.empty() ? nullptr : found.back();
  }
  // With its specifiers replaced; without source where nothing is said.
  PlacedText value(std::string_view section, std::string_view key) const {
    const UnitEntry* entry = last(section, key);
    return entry == nullptr ? PlacedText() : with_specifiers(entry->value, specifiers_);
  }

 private:
  const std::vector<UnitEntry>& entries_;
  std::string name_;
  UnitSpecifiers specifiers_;
};

}  // namespace sx
