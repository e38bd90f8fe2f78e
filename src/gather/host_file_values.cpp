// A file may be written by hand: entries that make no sense are left out, the others count.
#include "gather/host_file_values.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "gather/host_file_names.h"

namespace sx {
namespace {

// Each entry of a list that `take` accepts.
template <class T, class Take>
bool convert_list(const JsonValue& value, std::vector<T>& into, Take take) {
  if (!value.is(JsonKind::Array)) return false;
  for (const JsonValue& entry : value.elements()) {
    if (into.size() >= kMostListed) break;
    T one{};
    if (take(entry, one)) into.push_back(std::move(one));
  }
  return true;
}

void convert_optional(const JsonValue& value, std::optional<Bytes>& into) {
  Bytes bytes;
  if (value && convert(value, bytes)) into = bytes;
}

}  // namespace

bool convert(const JsonValue& value, std::string& into) {
  const auto text = value.string();
  if (text) into = *text;
  return text.has_value();
}

bool convert(const JsonValue& value, Bytes& into) {
  const auto count = value.integer();
  if (!count || *count < 0 || *count > (std::int64_t{1} << 60)) return false;
  into = Bytes{*count};
  return true;
}

bool convert(const JsonValue& value, int& into) {
  const auto count = value.integer();
  if (!count || *count < 0 || *count > 1'000'000'000) return false;
  into = static_cast<int>(*count);
  return true;
}

bool convert(const JsonValue& value, std::int64_t& into) {
  const auto count = value.integer();
  if (!count || *count < 0) return false;
  into = *count;
  return true;
}

bool convert(const JsonValue& value, double& into) {
  const auto number = value.number();
  if (!number || !std::isfinite(*number)) return false;
  into = *number;
  return true;
}

bool convert(const JsonValue& value, bool& into) {
  const auto truth = value.boolean();
  if (truth) into = *truth;
  return truth.has_value();
}

bool convert(const JsonValue& value, ComputeCapability& into) {
  const std::string text = value.string().value_or("");
  const auto parts = split(text, '.');
  if (parts.size() != 2) return false;
  const auto major = to_integer(parts[0]);
  const auto minor = to_integer(parts[1]);
  if (!major || !minor || *major < 0 || *major > 99 || *minor < 0 || *minor > 99) return false;
  into = {static_cast<int>(*major), static_cast<int>(*minor)};
  return true;
}

bool convert(const JsonValue& value, std::vector<std::string>& into) {
  return convert_list(value, into,
                      [](const JsonValue& entry, std::string& one) { return convert(entry, one); });
}

bool convert(const JsonValue& value, std::vector<GpuProcess>& into) {
  return convert_list(value, into, [](const JsonValue& entry, GpuProcess& one) {
    if (!entry["pid"] || !convert(entry["pid"], one.pid)) return false;
    one.name = entry["name"].string().value_or("");
    convert_optional(entry["memory_bytes"], one.memory);
    return true;
  });
}

bool convert(const JsonValue& value, std::vector<NumaNode>& into) {
  return convert_list(value, into, [](const JsonValue& entry, NumaNode& one) {
    if (!entry["node"] || !convert(entry["node"], one.node)) return false;
    one.cpus = entry["cpus"].string().value_or("");
    convert_optional(entry["memory_bytes"], one.memory);
    convert_optional(entry["free_bytes"], one.memory_free);
    if (entry["distances"]) {
      convert_list(entry["distances"], one.distances,
                   [](const JsonValue& cell, int& distance) { return convert(cell, distance); });
    }
    return true;
  });
}

bool convert(const JsonValue& value, std::vector<KernelEvent>& into) {
  return convert_list(value, into, [](const JsonValue& entry, KernelEvent& one) {
    const std::string kind = entry["kind"].string().value_or("");
    const auto found = std::ranges::find(kKernelEvents, kind,
                                         &std::pair<KernelEvent::Kind, std::string_view>::second);
    if (found == kKernelEvents.end()) return false;
    one.kind = found->first;
    if (entry["code"]) convert(entry["code"], one.code);
    one.pci = entry["pci"].string().value_or("");
    one.process = entry["process"].string().value_or("");
    one.text = entry["text"].string().value_or("");
    if (entry["times"]) convert(entry["times"], one.times);
    if (entry["severe"]) convert(entry["severe"], one.severe);
    return true;
  });
}

bool convert(const JsonValue& value, std::vector<Package>& into) {
  if (!value.is(JsonKind::Object)) return false;
  for (const JsonValue& entry : value.elements()) {
    const auto version = entry.string();
    if (version && into.size() < kMostListed) into.emplace_back(entry.key(), *version);
  }
  return true;
}

}  // namespace sx
