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

// The object in a text; at most 16 MiB and 32 levels. `what` names the record in errors.
Result<boost::json::object> json_object(std::string_view text, std::string_view what);

// Takes fields out of an object. The first one that is missing or of another kind is remembered,
// further ones give empty values; ask `error()` at the end.
class JsonFields {
 public:
  JsonFields(const boost::json::object& object, std::string_view what)
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
  std::string_view what_;
  std::string wrong_;
};

}  // namespace sx
