// Compose and systemd take the same lines; what differs between them (escapes in double quotes)
// does not occur in values that matter here.
#include "gather/environment_file.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace sx {
namespace {

constexpr Bytes kFileLimit = mib(1);
constexpr std::size_t kMostFiles = 32;
constexpr Text kTooManyFiles{
    "more than {most} environment files are named; the others are not read",
    "列出的环境变量文件超过 {most} 个；其余的没有读取"};
constexpr Text kNotRead{"the variables of an environment file are not known here: {what}",
                        "环境变量文件里的变量在这里未知：{what}"};
constexpr Text kTooManyLines{
    "the environment files hold more than {most} variables; what follows in {file} is not read",
    "环境变量文件里的变量超过 {most} 个；{file} 中其余的没有读取"};

}  // namespace

std::vector<Setting> environment_lines(std::string_view text, int source, std::size_t most,
                                       EnvironmentSyntax syntax) {
  const bool as_it_is = syntax == EnvironmentSyntax::AsItIs;
  std::vector<Setting> settings;
  std::size_t at = 0;
  while (at < text.size() && settings.size() < most) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (!as_it_is && line.starts_with("export ")) line = trimmed(line.substr(7));
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || line[0] == ';' || equals == std::string_view::npos)
      continue;
    const auto begin = static_cast<std::size_t>(line.data() - text.data());
    std::string_view value = trimmed(line.substr(equals + 1));
    const bool quoted = !as_it_is && value.size() >= 2 && value.front() == value.back() &&
                        (value.front() == '"' || value.front() == '\'');
    if (quoted) {
      value = value.substr(1, value.size() - 2);
    } else if (const auto comment = value.find(" #");
               !as_it_is && comment != std::string_view::npos) {
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

void EnvironmentFiles::add(const std::string& name, const std::string& path,
                           std::vector<Setting>& settings, MayBeAbsent absent) {
  if (++files_ > kMostFiles) {
    if (files_ == kMostFiles + 1)
      around_.remarks.push_back({kTooManyFiles, {{"most", kMostFiles}}});
    return;
  }
  const auto known = std::ranges::find_if(sources_.all(), [&path](const Source& source) {
    return source.kind == SourceKind::File && source.uri == path;
  });
  auto source = static_cast<int>(known - sources_.all().begin());
  if (known == sources_.all().end()) {
    auto text = outside_.files->read(path, kFileLimit);
    if (!text) {
      const bool allowed = absent == MayBeAbsent::Yes && text.error().kind == Error::Kind::Absent;
      if (!allowed) around_.remarks.push_back({kNotRead, {{"what", text.error().words()}}});
      return;
    }
    source = sources_.add(
        {.kind = SourceKind::File, .name = name, .uri = path, .text = std::move(*text)});
  }
  // One more than there is room for, so that it is known whether any is left out.
  const std::size_t room = kMostEnvironmentLines - lines_;
  auto lines = environment_lines(sources_.at(source).text, source, room + 1, syntax_);
  if (lines.size() > room) {
    lines.resize(room);
    if (!told_)
      around_.remarks.push_back({kTooManyLines, {{"file", name}, {"most", kMostEnvironmentLines}}});
    told_ = true;
  }
  lines_ += lines.size();
  std::ranges::move(lines, std::back_inserter(settings));
}

}  // namespace sx
