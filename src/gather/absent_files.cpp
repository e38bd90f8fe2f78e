// Only "there is nothing of that name" counts: a file behind a closed folder may well be there.
#include "gather/absent_files.h"

#include "base/strings.h"
#include "gather/command_text.h"
#include "knowledge/file_flags.h"

namespace sx {
namespace {

constexpr std::size_t kMost = 16;

// A text with these is the template itself.
constexpr std::string_view kOfTemplates = "{}\n";

bool looks_like_a_path(const FileFlag& flag, std::string_view value) {
  if (flag.form != FileFlag::Form::Template) return !value.empty();
  if (value.find_first_of(kOfTemplates) != std::string_view::npos) return false;
  if (!flag.brought.empty() && value.starts_with(flag.brought)) return false;
  return value.find('/') != std::string_view::npos || value.ends_with(".jinja");
}

bool absent(const Files& files, const std::string& path) {
  const auto info = files.info(path);
  return !info && info.error().kind == Error::Kind::Absent;
}

}  // namespace

std::vector<AbsentFile> absent_files(const Launch& launch, const Outside& outside) {
  std::vector<AbsentFile> found;
  // A shell's folder changes where a line says so; a unit's and a container's are their own.
  if (launch.around.kind != Surroundings::Kind::Bare) return found;
  const std::string folder = launch.around.working_folder.value_or(outside.folder);
  for (const FlagUse& use : launch.serve.flags) {
    const FileFlag* flag = find_file_flag(launch.serve.engine, use.name);
    if (flag == nullptr || !use.complete || use.values.empty()) continue;
    const std::string& value = use.values.back();
    const auto names = flag->form == FileFlag::Form::Files ? split(value, ',')
                                                           : std::vector<std::string_view>{value};
    for (const std::string_view name : names) {
      if (found.size() >= kMost || name.starts_with('~') || !looks_like_a_path(*flag, name))
        continue;
      std::string path = path_in(folder, name);
      if (absent(*outside.files, path))
        found.push_back({use.name, use.typed, std::string(name), std::move(path), use.span});
    }
  }
  return found;
}

}  // namespace sx
