// The grammar of a head: its first line and its fields. What they mean is read in http_head.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http_head.h"

namespace sx {

struct HeadLines {
  std::string_view start;
  std::vector<HeadField> fields;
};
// `bytes` is one whole head, its empty line included. `room`: fields of an earlier head, to be
// used again.
std::expected<HeadLines, HeadFault> read_head_lines(std::string_view bytes,
                                                    std::vector<HeadField> room);

// Copies fields into a head of ours: runs of them that stand as we would write them at once.
class FieldCopy {
 public:
  explicit FieldCopy(std::string& out) : out_(out) {}
  void add(const HeadField& field);
  void end();  // nothing has been written for sure before

 private:
  std::string& out_;
  const char *begin_ = nullptr, *end_ = nullptr;  // of the run
};

bool is_token(std::string_view word);  // of the letters that names and methods are made of
// Whether a list such as that of `Connection` has the word, in any case.
bool lists(std::string_view list, std::string_view word);
bool is_token_list(std::string_view list);

}  // namespace sx
