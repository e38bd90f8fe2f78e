// Cells of engine tables that need more than a number: versions and yes-or-no. Used by knowledge alone.
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"
#include "knowledge/tables.h"

namespace sx {

inline std::optional<Version> version_cell(std::string_view cell) {
  return is_unknown(cell) ? std::nullopt : parse_version(cell);
}

inline std::optional<bool> yes_or_no_cell(std::string_view cell) {
  if (cell == "yes") return true;
  if (cell == "no") return false;
  return {};
}

inline std::string_view known_cell(std::string_view cell) {
  return is_unknown(cell) ? std::string_view{} : cell;
}

}  // namespace sx
