// Letters alone; nothing here looks at a disk.
#include "facts/paths.h"

#include <algorithm>

namespace sx {

bool names_path(std::string_view text) {
  if (text.starts_with('/') || text.starts_with('.') || text.starts_with('~')) return true;
  return std::ranges::count(text, '/') > 1 || text.ends_with('/');
}

bool lies_under(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty() || !path.starts_with(folder)) return false;
  return folder == "/" || path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace sx
