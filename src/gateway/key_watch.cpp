// The look is taken before the file is read: a change in between is read a second time.
#include "gateway/key_watch.h"

namespace sx {

Result<void> KeyWatch::begin(const std::string& path) {
  if (path.empty() || path == path_) return {};
  path_ = path;
  keys_.lock();
  return read();
}

Result<void> KeyWatch::look(bool whatever) {
  if (path_.empty() || (!whatever && look_at(path_) == seen_)) return {};
  return read();
}

Result<void> KeyWatch::read() {
  seen_ = look_at(path_);
  const auto rows = load_keys(path_);
  good_ = rows.has_value();
  if (!rows) return std::unexpected(rows.error());
  keys_.set(*rows);
  return {};
}

}  // namespace sx
