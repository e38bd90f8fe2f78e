// A number and its unit in the dialects of those who write launches: Docker, Kubernetes, systemd,
// the shell. None of them is guessed at: what is not one of its forms is nothing.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace sx {

// "64 MiB": 64 and "MiB"; the unit is empty where none is written. Numbers have no sign.
struct Amount {
  double number = 0;
  std::string_view unit;
};
std::optional<Amount> amount_of(std::string_view text);

// What "k", "kb", "ki", "kib" up to "p", in any case, multiply with: powers of 1024; 1 for "", "b".
std::optional<double> binary_factor(std::string_view unit);

// Docker, Podman and compose: 16g, 64MiB, 1.5gb, 1024.
std::optional<Bytes> container_size(std::string_view text);
// Kubernetes quantities: 64Gi, 16G, 1.5Gi, 500M, 1e9, 128974848.
std::optional<Bytes> kubernetes_size(std::string_view text);
// systemd: 64G and 64M are powers of 1024; `infinity` is kUnlimited.
std::optional<Bytes> systemd_size(std::string_view text);

// Processors: 8, 0.5, 500m.
std::optional<double> kubernetes_cpus(std::string_view text);

// In seconds. Go's durations, as Docker and compose have them: 30s, 1m30s, 500ms, 0.
std::optional<double> container_duration_s(std::string_view text);
// 5min 20s, 1m30s, 90; `infinity` is nothing.
std::optional<double> systemd_duration_s(std::string_view text);
// One number, as sleep and timeout read it: 30, 1.5m, 2h.
std::optional<double> shell_duration_s(std::string_view text);

// What "without limit" is where a size is kept.
inline constexpr Bytes kUnlimited{std::int64_t{1} << 60};

}  // namespace sx
