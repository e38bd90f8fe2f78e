// The first digit of a code is its family; a page lies in that folder under the rule's name.
#include "rules/rule_page.h"

#include "base/strings.h"

namespace sx::rules {
namespace {

std::string_view folder_of(std::string_view code) {
  switch (code[2]) {
    case '1':
      return "command";
    case '2':
      return "layout";
    case '3':
      return "memory";
    case '4':
      return "model";
    case '5':
      return "machine";
    case '6':
      return "links";
    case '8':
      return "serving";
    case '9':
      return "exposure";
    default:
      SX_UNREACHABLE("a code of no family");
  }
}

}  // namespace

std::string_view family(const Rule& rule) { return folder_of(rule.code); }

std::string page_name(const Rule& rule, Language language) {
  return "rules/" + std::string(folder_of(rule.code)) + '/' + replaced(rule.name, "-", "_") +
         (language == Language::English ? ".md" : ".zh.md");
}

}  // namespace sx::rules
