// Words, settings and lines of JSON, with the places where they stand.
#pragma once

#include <vector>

#include "base/source.h"
#include "read/command.h"
#include "read/json.h"
#include "read/shell_words.h"

namespace sx {

// Of a list: its items, each knowing how another one is put behind it. Of a text: one word.
std::vector<Word> json_words(const JsonValue& value, int source);

// A command without words that stands at `value`.
Command json_base(const Sources& sources, const JsonValue& value, int source);

// {"A": "b"}, ["A=b"] and [{"name": "A", "value": "b"}].
void take_json_environment(const JsonValue& value, int source, Command& command);

// The text as a shell reads it; places are exact where JSON wrote it without escapes.
ShellText json_line(const Sources& sources, const JsonValue& value, int source,
                    const std::vector<Setting>& inherited);

}  // namespace sx
