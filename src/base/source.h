// The texts the user gave us, whole and unchanged, and places in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Bytes [begin, end) of one source.
struct Span {
  int source = -1;
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

enum class SourceKind {
  CommandLine,  // argv after `--`, quoted again by us
  File,         // name is the path as the user or the model folder has it
  StandardInput,
  Process,  // the command line of a running process
};

struct Source {
  SourceKind kind = SourceKind::File;
  std::string name;  // file name as shown ("serve.sh", "config.json"); empty for the other kinds
  std::string uri;   // path for machines; may be empty
  std::string text;  // the bytes as they are: any encoding, any line ends
};

// Owned by whoever gathers a Case; spans hold indices into it.
class Sources {
 public:
  int add(Source source) {
    all_.push_back(std::move(source));
    return static_cast<int>(all_.size()) - 1;
  }
  const Source& at(int index) const { return all_.at(static_cast<std::size_t>(index)); }
  std::string_view text(const Span& span) const {
    return std::string_view(at(span.source).text).substr(span.begin, span.end - span.begin);
  }
  const std::vector<Source>& all() const { return all_; }

 private:
  std::vector<Source> all_;
};

// 1-based; columns count code points, a byte that is no UTF-8 counts as one. A byte-order mark
// counts as nothing. Lines end at \n, \r\n or a lone \r.
struct Place {
  int line = 1;
  int column = 1;
};
Place place_of(const Source& source, std::size_t byte);

// The bytes of a line (1-based) without its line end; empty past the last one.
struct LineBounds {
  std::size_t begin = 0;
  std::size_t end = 0;
};
LineBounds line_bounds(const Source& source, std::size_t byte_inside);

}  // namespace sx
