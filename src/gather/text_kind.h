// Which kind of text a file holds, by its name and its first line.
#pragma once

#include <string_view>

namespace sx {

enum class TextKind { Shell, Yaml, Json, Systemd, ProcessList, Python, Toml, Notebook };

TextKind text_kind(std::string_view name, std::string_view text);

}  // namespace sx
