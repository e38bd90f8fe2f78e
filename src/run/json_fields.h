// Reading our own records: every field checked, every error with the field's name.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sx {

// What a record is called in errors. A file has the same name in both languages.
struct RecordName {
  constexpr RecordName(const char* both) : english(both), chinese(both) {}
  constexpr RecordName(std::string_view both) : english(both), chinese(both) {}
  constexpr RecordName(std::string_view in_english, std::string_view in_chinese)
      : english(in_english), chinese(in_chinese) {}
  std::string_view english, chinese;
};

// The object in a text; at most 16 MiB and 32 levels. `what` names the record in errors.
Result<boost::json::object> json_object(std::string_view text, const RecordName& what);

// A text of that name, or nothing: for answers that may lack it.
std::string text_in(const boost::json::object& object, std::string_view name);

// Takes fields out of an object. The first one that is missing or of another kind is remembered,
// further ones give empty values; ask `error()` at the end.
class JsonFields {
 public:
  JsonFields(const boost::json::object& object, const RecordName& what)
      : object_(object), what_(what) {}
  std::string text(std::string_view name);
  std::string text_or(std::string_view name, std::string_view otherwise);
  std::int64_t number(std::string_view name, std::int64_t least, std::int64_t most);
  std::int64_t number_or(std::string_view name, std::int64_t least, std::int64_t most,
                         std::int64_t otherwise);
  std::optional<std::int64_t> number_if(std::string_view name, std::int64_t least,
                                        std::int64_t most);
  bool truth_or(std::string_view name, bool otherwise);
  std::vector<std::string> texts(std::string_view name);  // at most 100 000
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name, std::size_t most);
  void wrong(std::string_view name);
  Result<void> error() const;

 private:
  const boost::json::object& object_;
  RecordName what_;
  std::string wrong_;
};

}  // namespace sx
