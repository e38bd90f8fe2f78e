// A deployment file as `up`, `reload` and `config` take it: its mistakes underlined, its secrets
// named and not shown.
#include <algorithm>

#include "cli/up_make.h"
#include "diag/excerpt.h"

namespace sx {
namespace {

constexpr Text kWarning{"warning: {words}", "警告：{words}"};
constexpr Text kAtPlace{"{place}: {title}; {label}", "{place}：{title}；{label}"};

// "sextant.toml:4: the key of alice stands in the file itself: …", and not the line.
std::string without_its_line(const FileFault& fault, const Sources& sources, Language language) {
  const Label& label = fault.labels.front();
  const Source& source = sources.at(label.span.source);
  const auto before = std::string_view(source.text).substr(0, label.span.begin);
  return rendered(
      {kAtPlace,
       {{"place", source.name + ':' + std::to_string(1 + std::ranges::count(before, '\n'))},
        {"title", rendered(fault.title, language)},
        {"label", rendered(label.text, language)}}},
      language);
}

}  // namespace

std::string places_of(const FileFault& fault, const Sources& sources, const Arguments& arguments,
                      const Session& session, Language language) {
  const Style style = decide_style({.colour = arguments.colour(), .language = language},
                                   session.outside.environment);
  const ExcerptStyle look{.language = language, .width = style.width};
  return excerpt(fault.labels, sources, look, Painter(false)).text;
}

void say_warning(const std::string& words, Language language, Session& session) {
  session.output.trouble(rendered({kWarning, {{"words", words}}}, language) + '\n');
}

Result<std::optional<ReadFile>> read_file_of(const std::string& path, const Arguments& arguments,
                                             Session& session, Language language) {
  const bool whole = path.starts_with('/');
  ReadFile read{
      .path = whole ? path : session.outside.folder + '/' + path, .file = {}, .sources = {}};
  SX_TRY(auto text, session.outside.files->read(path, mib(1)));
  Sources& sources = read.sources;
  const int source = sources.add({.kind = SourceKind::File, .name = path, .text = std::move(text)});
  DeploymentRead told = read_deployment_file(sources, source);
  read.file = std::move(told.file);
  for (const FileFault& warning : told.warnings)
    say_warning(without_its_line(warning, sources, language), language, session);
  if (told.faults.empty()) return std::optional(std::move(read));
  for (const FileFault& fault : told.faults) {
    session.output.trouble(fault.secret
                               ? trouble_line(without_its_line(fault, sources, language), language)
                               : trouble_line(rendered(fault.title, language), language) +
                                     places_of(fault, sources, arguments, session, language));
  }
  return std::optional<ReadFile>();
}

}  // namespace sx
