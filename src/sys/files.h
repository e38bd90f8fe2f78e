// Files as the program sees them: an interface with the real one and an in-memory twin.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sx {

struct FileInfo {
  enum class Kind { File, Directory, Other };
  Kind kind = Kind::File;
  Bytes bytes;
};

class Files {
 public:
  virtual ~Files() = default;
  // The whole file, at most `limit` bytes: a larger one is Error::Kind::TooLarge. Never blocks on devices or pipes: those
  // are refused. "cannot read serve.sh: no such file".
  virtual Result<std::string> read(const std::string& path, Bytes limit) const = 0;
  // At most `length` bytes from the front.
  virtual Result<std::string> read_front(const std::string& path, Bytes length) const = 0;
  virtual Result<FileInfo> info(const std::string& path) const = 0;  // follows links
  // Names in a folder, sorted, without . and ..; at most 100 000.
  virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
  virtual Result<std::string> link_target(const std::string& path) const = 0;
};

const Files& real_files();

class MemoryFiles final : public Files {
 public:
  MemoryFiles& add(std::string path, std::string bytes);
  MemoryFiles& add_sparse(std::string path, std::string front, Bytes length);  // longer than its given bytes
  Result<std::string> read(const std::string& path, Bytes limit) const override;
  Result<std::string> read_front(const std::string& path, Bytes length) const override;
  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;
  Result<std::string> link_target(const std::string& path) const override;

 private:
  struct Entry {
    std::string bytes;
    Bytes length;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace sx
