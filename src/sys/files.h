// Files as the program sees them: an interface with the real one and an in-memory twin.
#pragma once

#include <cstdint>
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
  std::int64_t changed = 0;             // seconds since 1970; 0 in memory
  std::optional<unsigned> permissions;  // 0644; in memory only what was set
};

class Files {
 public:
  virtual ~Files() = default;
  // The whole file, at most `limit` bytes: a larger one is Error::Kind::TooLarge. Never blocks on
  // devices or pipes: those are refused. "cannot read serve.sh: no such file".
  virtual Result<std::string> read(const std::string& path, Bytes limit) const = 0;
  // At most `length` bytes from the front.
  virtual Result<std::string> read_front(const std::string& path, Bytes length) const = 0;
  virtual Result<FileInfo> info(const std::string& path) const = 0;  // follows links
  // Names in a folder, sorted, without . and ..; at most 100 000.
  virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
  virtual Result<std::string> link_target(const std::string& path) const = 0;
};

const Files& real_files();

// Folders are there when something lies in them. Paths are compared after "." and ".." are
// resolved.
class MemoryFiles final : public Files {
 public:
  MemoryFiles& add(std::string path, std::string bytes);
  MemoryFiles& add_sparse(std::string path, std::string front,
                          Bytes length);  // longer than its given bytes
  MemoryFiles& add_link(std::string path,
                        std::string target);   // to a file or folder; relative to the link's folder
  MemoryFiles& add_refused(std::string path);  // may not be read: "permission denied"
  MemoryFiles& add_device(std::string path);   // neither file nor folder
  MemoryFiles& set_permissions(const std::string& path, unsigned permissions);  // also of a folder
  Result<std::string> read(const std::string& path, Bytes limit) const override;
  Result<std::string> read_front(const std::string& path, Bytes length) const override;
  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;
  Result<std::string> link_target(const std::string& path) const override;

  // How often a path was opened: tests hold that no file is read twice.
  const std::map<std::string, int>& reads() const { return reads_; }

 private:
  struct Entry {
    enum class Kind { File, Link, Refused, Device };
    std::string bytes;  // of a link: its target
    Bytes length;
    Kind kind = Kind::File;
  };
  MemoryFiles& put(std::string path, Entry entry);
  std::optional<std::string> resolved(const std::string& path) const;  // empty: links in a circle
  Result<const Entry*> opened(const std::string& path) const;
  bool is_folder(const std::string& resolved_path) const;
  std::map<std::string, Entry> entries_;
  std::map<std::string, unsigned> permissions_;
  mutable std::map<std::string, int> reads_;
};

}  // namespace sx
