// What the person says about the machine on top of what was found: --driver, --cuda, --shm, --free.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "gather/gather_host_parts.h"
#include "read/amounts.h"

namespace sx {
namespace {

constexpr double kLargest = 1e18;  // an exbibyte: beyond any machine, within 64 bits

std::unexpected<Error> not_a_size(std::string_view text) {
  const std::string said(text.substr(0, 40));
  return fail(Error::Kind::Usage, "'" + said + "' is not a size like 64MiB or 16g",
              "'" + said + "' 不是 64MiB、16g 这样的大小");
}

Result<Bytes> parse_size(std::string_view text, std::string_view unit_if_none) {
  const auto amount = amount_of(text);
  if (!amount) return not_a_size(text);
  const auto factor = binary_factor(amount->unit.empty() ? unit_if_none : amount->unit);
  if (!factor) return not_a_size(text);
  const double bytes = amount->number * *factor;
  if (!(bytes <= kLargest)) {
    const std::string said(text.substr(0, 40));
    return fail(Error::Kind::Usage, "'" + said + "' is too large", "'" + said + "' 太大");
  }
  return Bytes{static_cast<std::int64_t>(bytes + 0.5)};
}

// A version of a driver or of CUDA: numbers with dots.
Result<std::string> dotted(std::string_view text, std::string_view flag, std::string_view example) {
  text = trimmed(text);
  const bool plain = !text.empty() && text.size() <= 32 &&
                     text.find_first_not_of("0123456789.") == text.npos && text.front() != '.' &&
                     text.back() != '.' && text.find("..") == text.npos;
  if (plain) return std::string(text);
  const std::string said(text.substr(0, 40));
  const std::string name(flag);
  return fail(Error::Kind::Usage,
              name + ": '" + said + "' is not a version like " + std::string(example),
              name + "：'" + said + "' 不是 " + std::string(example) + " 这样的版本");
}

std::unexpected<Error> wrong_free(std::string what, std::string chinese) {
  return fail(Error::Kind::Usage, "--free: " + what, "--free：" + chinese);
}

// An error of a size, with the flag in front.
std::unexpected<Error> of_flag(std::string_view flag, Error error) {
  const std::string name(flag);
  return fail(error.kind, name + ": " + error.what, name + "：" + error.chinese);
}

Result<int> set_free(HostSpec& host, std::string_view part) {
  const auto equals = part.find('=');
  const auto index =
      equals == part.npos ? std::nullopt : to_integer(trimmed(part.substr(0, equals)));
  if (!index) {
    const std::string said(part.substr(0, 40));
    return wrong_free("'" + said + "' is not GPU=SIZE like 0=20GiB",
                      "'" + said + "' 不是 0=20GiB 这样的写法");
  }
  const auto gpu = std::ranges::find_if(host.gpus, [&](const Gpu& g) { return g.index == *index; });
  if (gpu == host.gpus.end()) {
    return wrong_free("the machine has no GPU " + std::to_string(*index),
                      "机器没有 GPU " + std::to_string(*index));
  }
  auto free = parse_size(part.substr(equals + 1), "gib");  // a bare number is GiB, as the flag says
  if (!free) return of_flag("--free", std::move(free).error());
  if (!gpu->memory.known()) {
    return wrong_free("the total memory of GPU " + std::to_string(*index) + " is not known",
                      "GPU " + std::to_string(*index) + " 的总显存未知");
  }
  if (*free > gpu->memory.value()) {
    return wrong_free("GPU " + std::to_string(*index) + " has less memory than that",
                      "GPU " + std::to_string(*index) + " 的显存没有这么多");
  }
  gpu->used = {gpu->memory.value() - *free, Origin::Flag};
  return static_cast<int>(*index);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) { return parse_size(text, ""); }

Result<int> apply_overrides(HostSpec& host, const HostAsk& ask) {
  if (ask.driver) {
    SX_TRY(std::string driver, dotted(*ask.driver, "--driver", "550.54.15"));
    host.driver = {std::move(driver), Origin::Flag};
  }
  if (ask.cuda) {
    SX_TRY(std::string cuda, dotted(*ask.cuda, "--cuda", "12.4"));
    host.cuda = {std::move(cuda), Origin::Flag};
  }
  if (ask.shm) {
    auto size = parse_bytes(*ask.shm);
    if (!size) return of_flag("--shm", std::move(size).error());
    // The person tells the size of a fresh /dev/shm; nothing is in it yet.
    host.shared_memory = host.shared_memory_free = {*size, Origin::Flag};
  }
  if (!ask.free) return 0;
  for (const std::string_view part : split(*ask.free, ',')) {
    SX_TRY([[maybe_unused]] const int index, set_free(host, trimmed(part)));
  }
  return 0;
}

}  // namespace sx
