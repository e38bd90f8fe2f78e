// Names of settings are those of flags with underscores; values take the forms that the flag reads.
#include "logs/launch_words.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "engines/plain_launch.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"

namespace sx {
namespace {

using Kind = PythonValue::Kind;

// The settings that may be the model, the one that counts first.
struct ModelSettings {
  std::string_view engine;
  std::array<std::string_view, 2> names;  // empty ones are none
};
constexpr std::array<ModelSettings, 2> kModelSettings{{
    {"vllm", {"model_tag", "model"}},
    {"sglang", {"model_path", ""}},
}};

// Files whose contents the other settings already hold.
constexpr std::string_view kSplicedFile = "--config";

const PythonValue* find(const PythonSettings& settings, std::string_view name) {
  for (const auto& [key, value] : settings) {
    if (key == name && value.kind == Kind::Text && !value.text.empty()) return &value;
  }
  return nullptr;
}

bool is_default(const FlagRow& row, const PythonValue& value) {
  const std::string_view usual = row.default_text;
  if (value.kind == Kind::False) return lower(usual) == "false" || usual.empty();
  if (value.kind == Kind::True) return lower(usual) == "true";
  if (value.kind == Kind::List) return value.items.empty();
  if (usual == value.text) return true;
  const auto a = to_number(usual), b = to_number(value.text);
  return a && b && *a == *b;
}

// Whether the flag could take it.
bool add_flag(std::vector<std::string>& words, const FlagRow& row, const PythonValue& value) {
  const std::string name(row.name);
  switch (value.kind) {
    case Kind::None:
      return true;
    case Kind::True:
      words.push_back(name);
      return true;
    case Kind::False:
      if (!row.negatable) return false;
      words.push_back("--no-" + name.substr(2));
      return true;
    case Kind::Number:
    case Kind::Text:
    case Kind::Json:
      if (row.kind == FlagKind::Switch) return false;
      words.push_back(name);
      words.push_back(value.text);
      return true;
    case Kind::List:
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i == 0 || row.repeats) words.push_back(name);
        words.push_back(value.items[i]);
      }
      return true;
    case Kind::Other:
      return false;
  }
  return false;
}

}  // namespace

LaunchWords launch_words(const MemoryLog& log) {
  const std::string_view engine = log.engine;
  const PythonSettings& settings = log.launch;
  LaunchWords launch;
  const auto settings_of_model = std::ranges::find(kModelSettings, engine, &ModelSettings::engine);
  const EngineFlags* flags = engine_flags(engine);
  if (settings_of_model == kModelSettings.end() || flags == nullptr || settings.empty())
    return launch;
  const PythonValue* model = nullptr;
  const auto& names = settings_of_model->names;
  for (const std::string_view name : names) {
    if (model == nullptr && !name.empty()) model = find(settings, name);
  }
  if (model == nullptr) return launch;
  launch.words = plain_launch(engine, model->text);
  for (const auto& [key, value] : settings) {
    if (std::ranges::find(names, key) != names.end()) continue;
    const std::string name = "--" + replaced(key, "_", "-");
    if (names_secret(name)) continue;
    const FlagRow* row = flags->find(name);
    if (row != nullptr &&
        (row->name == kSplicedFile || (!log.only_changes && is_default(*row, value))))
      continue;
    const bool taken =
        row != nullptr && !names_secret(row->name) && add_flag(launch.words, *row, value);
    if (!taken && value.kind != Kind::None) launch.left_out.push_back(key);
  }
  return launch;
}

}  // namespace sx
