// A first line that says it is a shell script counts more than the file's name.
#include "gather/text_kind.h"

#include <array>
#include <string>

#include "base/strings.h"
#include "gather/process_columns.h"

namespace sx {
namespace {

struct Ending {
  std::string_view ending;
  TextKind kind;
};

constexpr std::array kEndings{
    Ending{".yaml", TextKind::Yaml},         Ending{".yml", TextKind::Yaml},
    Ending{".json", TextKind::Json},         Ending{".service", TextKind::Systemd},
    Ending{".container", TextKind::Systemd}, Ending{".py", TextKind::Python},
    Ending{".toml", TextKind::Toml},         Ending{".ipynb", TextKind::Notebook},
};

std::string_view first_line_with_text(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  for (;;) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    const auto line = text.substr(0, text.find_first_of("\r\n"));
    const bool remark = line.starts_with('#') && !line.starts_with("#!");
    if (!remark) return line;
    text.remove_prefix(line.size());
  }
}

}  // namespace

bool is_json_manifest(std::string_view text) {
  return text.contains("\"apiVersion\"") || text.contains("\"services\"");
}

TextKind text_kind(std::string_view name, std::string_view text) {
  const auto line = first_line_with_text(text);
  if (line.starts_with("#!") && line.contains("sh")) return TextKind::Shell;
  const std::string ending = lower(name);
  for (const auto& known : kEndings) {
    if (ending.ends_with(known.ending)) return known.kind;
  }
  if (line.starts_with("#!") && line.contains("python")) return TextKind::Python;
  if (line == "[Unit]" || line == "[Service]" || line == "[Container]") return TextKind::Systemd;
  if (line == "---" || line.starts_with("apiVersion:") || line.starts_with("services:") ||
      line.starts_with("version:") || line.starts_with("kind:") || line.starts_with("{{-") ||
      text.contains("\nservices:") || text.contains("\napiVersion:"))
    return TextKind::Yaml;
  const std::string_view whole = trimmed(text);
  if (whole.starts_with('{') && whole.ends_with('}') && whole.contains("\":"))
    return TextKind::Json;
  if (whole.starts_with('[') && whole.ends_with(']') && whole.contains('"')) return TextKind::Json;
  if (is_process_header(line) || columns_before_command(line) > 0) return TextKind::ProcessList;
  return TextKind::Shell;
}

}  // namespace sx
