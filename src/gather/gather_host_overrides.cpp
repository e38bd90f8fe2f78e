// What the person says about the machine on top of what was found: --driver, --cuda, --shm, --free.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/strings.h"
#include "gather/gather_host_parts.h"

namespace sx {
namespace {

constexpr double kLargest = 1e18;  // an exbibyte: beyond any machine, within 64 bits

struct Unit {
  std::string_view word;
  int shift;
};
constexpr std::array<Unit, 14> kUnits{{{"kib", 10},
                                       {"mib", 20},
                                       {"gib", 30},
                                       {"tib", 40},
                                       {"kb", 10},
                                       {"mb", 20},
                                       {"gb", 30},
                                       {"tb", 40},
                                       {"ki", 10},
                                       {"mi", 20},
                                       {"gi", 30},
                                       {"ti", 40},
                                       {"bytes", 0},
                                       {"b", 0}}};

std::optional<int> unit_shift(std::string_view word) {
  if (word.empty()) return 0;
  const auto* unit = std::ranges::find(kUnits, word, &Unit::word);
  if (unit != kUnits.end()) return unit->shift;
  if (word == "k") return 10;
  if (word == "m") return 20;
  if (word == "g") return 30;
  if (word == "t") return 40;
  return {};
}

std::unexpected<Error> not_a_size(std::string_view text) {
  const std::string said(text.substr(0, 40));
  return fail(Error::Kind::Usage, "'" + said + "' is not a size like 64MiB or 16g",
              "'" + said + "' 不是 64MiB、16g 这样的大小");
}

Result<Bytes> parse_size(std::string_view text, std::string_view unit_if_none) {
  text = trimmed(text);
  const auto end = text.find_first_not_of("0123456789.");
  const auto number = to_number(text.substr(0, end));
  std::string word = end == text.npos ? std::string() : lower(trimmed(text.substr(end)));
  if (word.empty()) word = unit_if_none;
  const auto shift = unit_shift(word);
  if (!number || !shift || *number < 0) return not_a_size(text);
  const double bytes = std::ldexp(*number, *shift);
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
