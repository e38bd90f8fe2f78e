// Letters alone; nothing here looks at a disk.
#include "facts/paths.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace sx {

bool names_path(std::string_view text) {
  if (text.starts_with('/') || text.starts_with('.') || text.starts_with('~')) return true;
  return std::ranges::count(text, '/') > 1 || text.ends_with('/');
}

bool names_repository(std::string_view text) {
  if (names_path(text) || std::ranges::count(text, '/') != 1) return false;
  const std::string plain = lower(text);
  return !plain.ends_with(".gguf") && !plain.ends_with(".bin") &&
         plain.find_first_of(" \\$") == std::string::npos;
}

bool lies_under(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty() || !path.starts_with(folder)) return false;
  return folder == "/" || path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace sx
