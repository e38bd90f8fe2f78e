// A hash, because words and variables may be long and hold what nobody should read in the journal.
#include "run/layout_key.h"

#include "base/strings.h"
#include "knowledge/library_variables.h"
#include "knowledge/variables.h"
#include "run/layout_models.h"
#include "sys/file_hash.h"

namespace sx {
namespace {

constexpr Bytes kMostDriverWords = kib(4);

// Ports are chosen anew for every deployment.
std::string without_port(const std::string& word, int port) {
  const std::string number = std::to_string(port);
  if (word == number) return "PORT";
  if (word.ends_with('=' + number)) return word.substr(0, word.size() - number.size()) + "PORT";
  return word;
}

// What finds files and speaks to people changes nothing about whether a layout works.
bool counts(const std::string& engine, const std::string& variable) {
  return variable == "CUDA_VISIBLE_DEVICES" || find_variable(engine, variable) != nullptr ||
         find_library_variable(variable) != nullptr;
}

// Each part ends with a byte that none of them can hold.
std::string told(const EngineLaunch& launch) {
  std::string text;
  const auto add = [&](const std::string& part) { text += part + '\0'; };
  add(launch.engine);
  add(launch.version);
  add(launch.model);
  for (const std::string& word : launch.words) add(without_port(word, launch.port));
  for (const auto& [name, value] : launch.environment) {
    if (counts(launch.engine, name)) add(name + '=' + value);
  }
  for (const int gpu : launch.gpus) add(std::to_string(gpu));
  return text;
}

}  // namespace

std::string layout_key(const DeployedLayout& layout, const std::string& model,
                       const std::string& machine) {
  // The label of several is that of all their layouts.
  const bool alone = models_of(layout).size() < 2;
  std::string text = (alone ? layout.label : std::string()) + '\0' + machine + '\0';
  for (const EngineLaunch& launch : layout.replicas) {
    if (alone || launch.model == model) text += told(launch) + '\n';
  }
  return sha256_of(text);
}

std::string layout_name(const DeployedLayout& layout, const std::string& model) {
  return models_of(layout).size() < 2 ? layout.label : layout.label + " (" + model + ')';
}

std::string launch_shape(const EngineLaunch& launch) { return sha256_of(told(launch)); }

std::string machine_words(const Files& files) {
  const auto text = files.read("/proc/driver/nvidia/version", kMostDriverWords);
  if (!text) return {};
  return std::string(trimmed(std::string_view(*text).substr(0, text->find('\n'))));
}

}  // namespace sx
