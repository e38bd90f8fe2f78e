// The last 64 bits of a trace's number below that part of all numbers: as the SDKs of Python, Go
// and Ruby decide it, so that an engine that samples by itself keeps the same traces.
#include "gateway/trace_sampler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/shown_word.h"
#include "base/strings.h"
#include "diag/listed.h"
#include "diag/message.h"

namespace sx {
namespace {

constexpr const char* kSampler = "OTEL_TRACES_SAMPLER";
constexpr const char* kArgument = "OTEL_TRACES_SAMPLER_ARG";

constexpr Text kUnknown{
    "{variable}={value} is not known here: all traces are kept that a client keeps or that begin "
    "here; known are {known}",
    "不认识 {variable}={value}：客户端要保留的链路和在这里开始的链路都会保留；可用的有 {known}"};
constexpr Text kNoRatio{"{variable}={value} is no number from 0 to 1: it counts as 1",
                        "{variable}={value} 不是 0 到 1 的数：按 1 处理"};

struct Name {
  std::string_view name;
  TraceSampler sampler;
  bool takes_ratio = false;
};
constexpr std::array<Name, 6> kNames{
    {{"always_on", {.obeys_client = false, .ratio = 1}},
     {"always_off", {.obeys_client = false, .ratio = 0}},
     {"traceidratio", {.obeys_client = false, .ratio = 1}, true},
     {"parentbased_always_on", {.obeys_client = true, .ratio = 1}},
     {"parentbased_always_off", {.obeys_client = true, .ratio = 0}},
     {"parentbased_traceidratio", {.obeys_client = true, .ratio = 1}, true}}};

Both known_names() {
  std::vector<std::string> names;
  for (const Name& one : kNames) names.emplace_back(one.name);
  return listed(names);
}

}  // namespace

bool TraceSampler::keeps(const TraceContext* asked, std::uint64_t trace_end) const {
  if (asked != nullptr && obeys_client) return asked->sampled();
  if (ratio >= 1) return true;
  constexpr double kAll = 18446744073709551616.0;  // 2^64
  return trace_end < static_cast<std::uint64_t>(std::nearbyint(std::max(ratio, 0.0) * kAll));
}

std::optional<double> read_ratio(std::string_view text) {
  double ratio = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), ratio);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || !(ratio >= 0 && ratio <= 1)) return std::nullopt;
  return ratio;
}

SamplerRead sampler_in(
    const std::function<std::optional<std::string>(const std::string& name)>& variables) {
  const std::string name(trimmed(variables(kSampler).value_or("")));
  if (name.empty()) return {};
  const auto found = std::ranges::find(kNames, name, &Name::name);
  if (found == kNames.end())
    return {.sampler = {},
            .note = Error(Error::Kind::Unsupported, in_both({kUnknown,
                                                             {{"variable", kSampler},
                                                              {"value", shown_word(name)},
                                                              {"known", known_names()}}}))};
  SamplerRead read{.sampler = found->sampler, .note = {}};
  const std::string argument(trimmed(variables(kArgument).value_or("")));
  if (!found->takes_ratio || argument.empty()) return read;
  if (const auto ratio = read_ratio(argument)) {
    read.sampler.ratio = *ratio;
  } else {
    read.note =
        Error(Error::Kind::Usage,
              in_both({kNoRatio, {{"variable", kArgument}, {"value", shown_word(argument)}}}));
  }
  return read;
}

}  // namespace sx
