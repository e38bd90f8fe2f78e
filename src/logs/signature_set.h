// All signatures, ready to be looked for: one filter over their literals, one pattern each.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "knowledge/signatures.h"
#include "logs/literal_filter.h"
#include "logs/pattern.h"

namespace sx {

inline constexpr int kBeside = -1;

class SignatureSet {
 public:
  // `beside` are literals of lines that are read whole by somebody else; they are no row, and their
  // index is kBeside.
  explicit SignatureSet(std::span<const SignatureRow> rows,
                        std::span<const std::string_view> beside = {});

  std::span<const SignatureRow> rows() const { return rows_; }
  const SignatureRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
  const LiteralFilter& filter() const { return filter_; }
  // Compiled on the first call.
  bool matches(int index, std::string_view text, Found& found);

 private:
  std::span<const SignatureRow> rows_;
  std::deque<std::string> line_ends_;  // what the filter's views of such literals point into
  LiteralFilter filter_;
  std::vector<Pattern> patterns_;
};

}  // namespace sx
