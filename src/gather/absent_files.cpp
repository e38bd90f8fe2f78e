// Only "there is nothing of that name" counts: a file behind a closed folder may well be there.
#include "gather/absent_files.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/paths.h"
#include "gather/launch_place.h"
#include "gather/near_files.h"
#include "knowledge/file_flags.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

constexpr std::size_t kMost = 16;
constexpr std::string_view kModel = "--model";

// A text with these is the template itself.
constexpr std::string_view kOfTemplates = "{}\n";

// What the launch gives a flag, by the flag itself or by the variable that takes its place.
struct Given {
  std::string typed;
  std::vector<std::string> values;
  Span span;
};

bool is_template_file(const FileFlag& flag, std::string_view value) {
  if (value.find_first_of(kOfTemplates) != std::string_view::npos) return false;
  if (!flag.brought.empty() && value.starts_with(flag.brought)) return false;
  return value.find('/') != std::string_view::npos || value.ends_with(".jinja");
}

// "name=/adapters/a" and {"name": "a", "path": "/adapters/a"}: a path; what may be the name of a
// repository is none.
std::string_view named_path(std::string_view word) {
  if (word.starts_with('{')) return {};
  const auto equals = word.find('=');
  const std::string_view path = equals == std::string_view::npos ? word : word.substr(equals + 1);
  return names_path(path) && !path.contains("://") ? path : std::string_view();
}

// OWNER/NAME/FILE.gguf: vLLM fetches the file of the repository.
bool names_file_of_repository(std::string_view name) {
  const bool relative = !name.starts_with('/') && !name.starts_with('.') && !name.starts_with('~');
  return relative && std::ranges::count(name, '/') == 2 && lower(name).ends_with(".gguf");
}

std::string_view without_scale(std::string_view word) {
  const auto colon = word.rfind(':');
  return colon == std::string_view::npos ? word : word.substr(0, colon);
}

std::vector<std::string_view> names_in(const FileFlag& flag,
                                       const std::vector<std::string>& values) {
  using enum FileFlag::Form;
  const std::string_view last = values.back();
  switch (flag.form) {
    case File:
    case Folder:
      return {last};
    case Template:
      return is_template_file(flag, last) ? std::vector{last} : std::vector<std::string_view>();
    case Files:
      return split(last, ',');
    case Scaled: {
      auto names = split(last, ',');
      std::ranges::transform(names, names.begin(), without_scale);
      return names;
    }
    case Named: {
      std::vector<std::string_view> names;
      for (const std::string& value : values) names.push_back(named_path(value));
      return names;
    }
  }
  return {};
}

class Search {
 public:
  Search(const Launch& launch, const Sources& sources, const Outside& outside)
      : launch_(launch), sources_(sources), outside_(outside) {}

  std::vector<AbsentFile> found;

  void flags() {
    const std::string& engine = launch_.serve.engine;
    for (const FlagUse& use : launch_.serve.flags) {
      const FileFlag* flag = find_file_flag(engine, use.name);
      if (flag == nullptr || !use.complete || use.values.empty() || !counts(*flag, use)) continue;
      if (opened(*flag)) look(*flag, {.typed = use.typed, .values = use.values, .span = use.span});
    }
    for (const Setting& set : launch_.command.environment) {
      const FileFlag* flag = flag_of(set.name);
      if (flag == nullptr || !set.complete || set.value.empty()) continue;
      const bool said = launch_.serve.use_of(flag->flag) != nullptr;  // flags win
      if (!said && opened(*flag))
        look(*flag, {.typed = set.name, .values = {set.value}, .span = set.span});
    }
  }

  // A folder that an engine of Python is to load; it takes what is not there for a repository.
  void model(const ModelSpec& model) {
    const Fact<std::string>& asked = launch_.serve.model;
    const bool missing = model.from == ModelFrom::Nowhere && asked.known();
    if (!missing || find_file_flag(launch_.serve.engine, kModel) != nullptr) return;
    std::string name = asked.value();
    if (!names_path(name) || name.contains("://") || names_file_of_repository(name)) return;
    if (name.starts_with("~/")) {
      name.replace(0, 1, outside_.environment.get("HOME").value_or(""));
    } else if (name.starts_with('~')) {
      name.insert(0, "./");  // nobody's home: the engine takes it as it stands
    }
    const auto place = place_here(launch_, sources_, outside_, name);
    const bool kept = asked.span().has_value();
    if (!place || !(absent(place->path) || is_file(place->path)) || there(place->beside)) return;
    if (has_tag(place->path)) return;
    add({.flag = std::string(kModel),
         .typed = std::string(kModel),
         .name = asked.value(),
         .path = place->path,
         .span = kept ? *asked.span() : Span{.source = -1},
         .unsure = place->unsure});
  }

 private:
  bool absent(const std::string& path) const {
    const auto info = outside_.files->info(path);
    return !info && info.error().kind == Error::Kind::Absent;
  }
  bool is_file(const std::string& path) const {
    const auto info = outside_.files->info(path);
    return info && info->kind == FileInfo::Kind::File;
  }
  bool there(const std::string& path) const { return !path.empty() && !absent(path); }

  // "folder:Q8_0": one quantisation of the GGUF files there.
  bool has_tag(std::string_view path) const {
    const auto colon = path.rfind(':');
    return colon != std::string_view::npos && there(std::string(path.substr(0, colon)));
  }

  // Of one that was given twice the last use; lists add up.
  bool counts(const FileFlag& flag, const FlagUse& use) const {
    using enum FileFlag::Form;
    const bool adds = flag.form == Files || flag.form == Scaled || flag.form == Named;
    return adds || launch_.serve.use_of(use.name) == &use;
  }

  const FileFlag* flag_of(std::string_view variable) const {
    const VariableRow* row = find_variable(launch_.serve.engine, variable);
    return row == nullptr || row->flag.empty() ? nullptr
                                               : find_file_flag(launch_.serve.engine, row->flag);
  }

  bool given(std::string_view flag) const {
    if (launch_.serve.use_of(flag) != nullptr) return true;
    return std::ranges::any_of(launch_.command.environment, [&](const Setting& set) {
      const VariableRow* row = find_variable(launch_.serve.engine, set.name);
      return row != nullptr && row->flag == flag;
    });
  }

  bool opened(const FileFlag& flag) const {
    const bool fetched =
        std::ranges::any_of(flag.unless, [this](std::string_view one) { return given(one); });
    return !fetched && (flag.needs.empty() || given(flag.needs));
  }

  void look(const FileFlag& flag, const Given& given) {
    for (const std::string_view name : names_in(flag, given.values)) {
      // OWNER/NAME is a repository that was taken for a file: another rule says so.
      if (flag.flag == kModel && names_repository(name)) continue;
      const auto place = place_here(launch_, sources_, outside_, name);
      if (!place || !absent(place->path) || there(place->beside)) continue;
      add({.flag = std::string(flag.flag),
           .typed = given.typed,
           .name = std::string(name),
           .path = place->path,
           .span = given.span,
           .unsure = place->unsure});
    }
  }

  void add(AbsentFile file) {
    if (found.size() >= kMost) return;
    while (file.path.size() > 1 && file.path.ends_with('/')) file.path.pop_back();
    file.near = near_files(*outside_.files, file.path, file.name);
    found.push_back(std::move(file));
  }

  const Launch& launch_;
  const Sources& sources_;
  const Outside& outside_;
};

}  // namespace

std::vector<AbsentFile> absent_files(const Launch& launch, const ModelSpec& model,
                                     const Sources& sources, const Outside& outside) {
  Search search(launch, sources, outside);
  search.model(model);
  search.flags();
  return std::move(search.found);
}

}  // namespace sx
