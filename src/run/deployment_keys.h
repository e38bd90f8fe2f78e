// The settings of a deployment file, one row each: what it takes and where it goes.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "read/toml.h"
#include "run/deployment_file.h"

namespace sx {

// What a value is put into.
struct SettingTarget {
  DeploymentFile& file;
  ModelSettings& model;  // of keys below "model."
  const TomlValue& value;
  const DeploymentKey& row;
};

struct SettingKey {
  DeploymentKey row;
  std::function<bool(const SettingTarget&)> put;  // false: the value is not of its kind
};

const std::vector<SettingKey>& setting_keys();
// Those that say nothing for a command, and those that say nothing without an image.
inline constexpr std::array<std::string_view, 6> kKeysOfPlan{
    "model.layout", "model.fallback", "model.users", "model.context", "model.goal", "model.engine"};
inline constexpr std::array<std::string_view, 5> kKeysOfContainer{
    "model.container", "model.network", "model.mounts", "model.shm_gib", "model.container_options"};
// Those of what runs (deployment_model_keys.cpp).
void add_model_keys(std::vector<SettingKey>& made);
// Those of its container (deployment_image_keys.cpp).
void add_image_keys(std::vector<SettingKey>& made);
// And of the gateway (deployment_gateway_keys.cpp).
void add_gateway_keys(std::vector<SettingKey>& made);

// What the settings of one model say together (deployment_model_sense.cpp); `model`: index,
// `table`: where they are written.
std::vector<FileFault> faults_of_model(const DeploymentFile& file, int model,
                                       const TomlValue& table);
// And those of the gateway (deployment_gateway_sense.cpp).
std::vector<FileFault> faults_of_gateway(const DeploymentFile& file);
// And those of its container (deployment_container_options.cpp).
std::vector<FileFault> faults_of_container_options(const ImageSettings& image,
                                                   const TomlValue& value);
// Secrets that stand in the file itself, and its settings as they may be shown: without them
// (deployment_secrets.cpp).
std::vector<FileFault> warnings_of_secrets(const SettingKey& key, const TomlValue& value);
std::string shown_setting(const SettingKey& key, const TomlValue& value, const Sources& sources);

// --- values -------------------------------------------------------------------------------------

// Of a start, in their order: "start", "load" … up to the last before it is ready.
std::vector<std::string_view> start_stages();

// A key of a client that a person wrote; `sextant keys add` makes ones of 54.
inline constexpr std::size_t kLeastKeyLength = 16;
inline constexpr std::int64_t kMostSettingSeconds = std::int64_t{7} * 24 * 3600;

bool put_text(const SettingTarget& to, std::string& into);     // one of the choices
bool put_number(const SettingTarget& to, std::int64_t& into);  // within the row's bounds
bool put_ratio(const SettingTarget& to, double& into);         // the same; 1 is as good as 1.0
bool put_numbers(const SettingTarget& to, std::vector<std::int64_t>& into);
bool put_words(const SettingTarget& to, std::vector<std::string>& into);
bool put_table(const SettingTarget& to, std::map<std::string, std::string>& into);

}  // namespace sx
