// A page of headings, sentences and tables, in one language and for one width; and the parts of it
// that stand in files of their own.
#pragma once

#include <string>
#include <vector>

#include "cli/inspect_answer.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {

class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}

  void line(const Message& message) {
    for (const std::string& part :
         wrapped(printable(rendered(message, style_.language)), style_.width))
      text += part + '\n';
  }
  void heading(const Message& message) {
    text += '\n';
    line(message);
  }
  void rows(const std::vector<std::vector<std::string>>& cells, const std::vector<Align>& align) {
    text += table(cells, align, 2);
  }
  std::string in(Text words) const { return std::string(words.in(style_.language)); }
  std::string in(const Value& value) const { return rendered(value, style_.language); }
  std::string in(const Both& words) const {
    return printable(rendered(Value{words}, style_.language));
  }
  std::string text;

 private:
  const Style& style_;
};

// SHA-256 of each file, against what it should be.
void add_verified(Page& page, const Inspection& found);
// Which part of a vision-language model sits where.
void add_vision(Page& page, const Inspection& found);
// Components of a diffusion pipeline, and how it may be served.
void add_parts(Page& page, const Inspection& found);

}  // namespace sx
