// Looks every second whether the file of keys has changed. One that cannot be read leaves the keys
// as they are and is tried again at every look: what kept it from being read may be over (no
// descriptor was left, a disk that hung) and the file looks as before.
#pragma once

#include <functional>
#include <string>

#include "gateway/key_store.h"
#include "gateway/keys.h"

namespace sx {

class KeyWatch {
 public:
  explicit KeyWatch(GatewayKeys& keys) : keys_(keys) {}

  // From now on this file; empty: the one of before is kept. Read at once.
  Result<void> begin(const std::string& path);
  // Reads it when it has changed, or when asked to whatever it looks like. An error is told once
  // for each change, another one when it comes.
  Result<void> look(bool whatever = false);
  bool good() const { return good_; }
  const std::string& path() const { return path_; }

 private:
  Result<void> read();
  GatewayKeys& keys_;
  std::string path_;
  FileLook seen_;
  bool good_ = true;
  std::string told_;  // the error of the last read
};

}  // namespace sx
