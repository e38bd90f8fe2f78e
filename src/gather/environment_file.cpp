// The three take the same lines; what differs between them (escapes in double quotes) does not
// occur in values that matter here.
#include "gather/environment_file.h"

#include <algorithm>

#include "base/strings.h"

namespace sx {
namespace {

constexpr Bytes kFileLimit = mib(1);
constexpr std::size_t kMostLines = 4096;

}  // namespace

std::vector<Setting> environment_lines(std::string_view text, int source) {
  std::vector<Setting> settings;
  std::size_t at = 0;
  while (at < text.size() && settings.size() < kMostLines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with("export ")) line = trimmed(line.substr(7));
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || line[0] == ';' || equals == std::string_view::npos)
      continue;
    const auto begin = static_cast<std::size_t>(line.data() - text.data());
    std::string_view value = trimmed(line.substr(equals + 1));
    const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                        (value.front() == '"' || value.front() == '\'');
    if (quoted) {
      value = value.substr(1, value.size() - 2);
    } else if (const auto comment = value.find(" #"); comment != std::string_view::npos) {
      value = trimmed(value.substr(0, comment));
    }
    settings.push_back({.name = std::string(trimmed(line.substr(0, equals))),
                        .value = std::string(value),
                        .span = {source, begin, begin + line.size()},
                        .literal = false,
                        .prefix = false});
  }
  return settings;
}

std::vector<Setting> environment_file(Sources& sources, const std::string& name,
                                      const std::string& path, const Outside& outside) {
  for (std::size_t i = 0; i < sources.all().size(); ++i) {
    const Source& known = sources.all()[i];
    if (known.kind == SourceKind::File && known.uri == path)
      return environment_lines(known.text, static_cast<int>(i));
  }
  auto text = outside.files->read(path, kFileLimit);
  if (!text) return {};
  const int source =
      sources.add({.kind = SourceKind::File, .name = name, .uri = path, .text = std::move(*text)});
  return environment_lines(sources.at(source).text, source);
}

}  // namespace sx
