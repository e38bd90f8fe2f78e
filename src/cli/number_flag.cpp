// One sentence for whatever else is written there.
#include "cli/number_flag.h"

#include "base/strings.h"
#include "diag/message.h"

namespace sx {
namespace {

constexpr Text kNumber{"{flag} takes a whole number from {least} to {most}",
                       "{flag} 的取值是 {least} 到 {most} 的整数"};

}  // namespace

Result<std::optional<std::int64_t>> number_of(const Arguments& arguments, const NumberFlag& flag) {
  const auto text = arguments.value(flag.flag);
  if (!text) return std::nullopt;
  const auto number = to_integer(*text);
  if (!number || *number < flag.least || *number > flag.most)
    return fail(
        Error::Kind::Usage,
        in_both({kNumber, {{"flag", flag.flag}, {"least", flag.least}, {"most", flag.most}}}));
  return *number;
}

Result<int> number_or(const Arguments& arguments, const NumberFlag& flag, int otherwise) {
  SX_TRY(const auto number, number_of(arguments, flag));
  return number ? static_cast<int>(*number) : otherwise;
}

}  // namespace sx
