// The settings of a deployment file, one row each: what it takes and where it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "read/toml.h"
#include "run/deployment_file.h"

namespace sx {

// What a value is put into.
struct SettingTarget {
  DeploymentFile& file;
  const TomlValue& value;
};

struct SettingKey {
  DeploymentKey row;
  std::int64_t least = 0, most = 0;               // of numbers
  std::function<bool(const SettingTarget&)> put;  // false: the value is not of its kind
};

const std::vector<SettingKey>& setting_keys();

}  // namespace sx
