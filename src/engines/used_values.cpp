// The last use of a flag counts, its first value.
#include "engines/used_values.h"

#include "base/strings.h"

namespace sx {
namespace {

const std::string* value_of(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  return use == nullptr || use->values.empty() || !use->complete ? nullptr : &use->values.front();
}

}  // namespace

std::optional<std::int64_t> number_of(const ServeSpec& serve, std::string_view flag) {
  const std::string* value = value_of(serve, flag);
  if (value == nullptr) return {};
  return to_integer(*value);
}

std::string word_of(const ServeSpec& serve, std::string_view flag) {
  const std::string* value = value_of(serve, flag);
  return value == nullptr ? std::string() : lower(*value);
}

}  // namespace sx
