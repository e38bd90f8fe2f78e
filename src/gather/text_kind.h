// Which kind of text a file holds, by its name and its first line.
#pragma once

#include <string_view>

namespace sx {

enum class TextKind { Shell, Yaml, Json, Systemd, ProcessList, Python, Toml, Notebook };

// JSON that says it is a manifest: `kubectl get -o json`, `docker compose config --format json`.
bool is_json_manifest(std::string_view text);

TextKind text_kind(std::string_view name, std::string_view text);

}  // namespace sx
