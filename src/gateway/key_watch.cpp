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
  if (path_.empty()) return {};
  const bool changed = whatever || look_at(path_) != seen_;
  if (!changed && good_) return {};
  const std::string told = told_;
  auto done = read();
  if (!changed && told_ == told) return {};
  return done;
}

Result<void> KeyWatch::read() {
  seen_ = look_at(path_);
  const auto rows = load_keys(path_);
  good_ = rows.has_value();
  told_ = rows ? "" : rows.error().what;
  if (!rows) return std::unexpected(rows.error());
  keys_.set(*rows);
  return {};
}

}  // namespace sx
