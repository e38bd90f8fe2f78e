// Ours are in both languages, those of an engine in its own.
#include "cli/refusal_words.h"

#include <boost/json.hpp>

#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostShown = 200;

std::string text_at(const json::value& value, std::string_view pointer) {
  json::error_code error;
  const auto* found = value.find_pointer({pointer.data(), pointer.size()}, error);
  return error || found == nullptr || !found->is_string() ? std::string()
                                                          : std::string(found->get_string());
}

}  // namespace

std::string refusal_words(std::string_view body, Language language) {
  json::error_code error;
  const json::value read = json::parse({body.data(), body.size()}, error);
  if (error) return shortened_answer(std::string(body));
  const std::string chinese =
      language == Language::Chinese ? text_at(read, "/error/message_zh") : "";
  return shortened_answer(chinese.empty() ? text_at(read, "/error/message") : chinese);
}

std::string shortened_answer(std::string text) {
  if (text.size() > kMostShown) {
    std::size_t end = kMostShown;  // not in the middle of a letter
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
  }
  return printable(text);
}

}  // namespace sx
