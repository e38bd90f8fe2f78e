// A slip of the pen, letters in another case, or a whole name where parts lie. A link that leads
// nowhere is none of them.
#include "gather/near_files.h"

#include <algorithm>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostNames = 2000;  // of one folder; larger ones are not searched
constexpr std::size_t kMostNear = 3;
constexpr std::size_t kShortest = 4;  // letters of a name: of a shorter one any other is near
constexpr std::string_view kFirstPart = "-00001-of-";

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view ending(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

// "model.gguf" where model-00001-of-00003.gguf lies.
bool is_first_part_of(std::string_view part, std::string_view whole) {
  const std::string_view end = ending(whole);
  const std::string_view stem = whole.substr(0, whole.size() - end.size());
  return !stem.empty() && part.starts_with(stem) && part.ends_with(end) &&
         part.substr(stem.size()).starts_with(kFirstPart);
}

}  // namespace

std::vector<std::string> near_files(const Files& files, std::string_view path,
                                    std::string_view name) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  const std::string_view wanted = last_part(path);
  const std::string folder(path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)));
  const auto names = files.list(folder);
  if (!names || names->size() > kMostNames || last_part(name) != wanted) return {};
  std::vector<std::string> near;
  std::vector<std::string_view> alike;
  for (const std::string& one : *names) {
    if (near.empty() && is_first_part_of(one, wanted)) near.push_back(one);
    if (lower(ending(one)) == lower(ending(wanted))) alike.push_back(one);
  }
  const bool long_enough = wanted.size() - ending(wanted).size() >= kShortest;
  if (near.empty() && long_enough) near = closest(wanted, alike, kMostNear);
  const std::string before = folder == "/" ? folder : folder + '/';
  std::erase_if(near, [&](const std::string& one) { return !files.info(before + one); });
  const std::string front(name.substr(0, name.size() - wanted.size()));
  for (std::string& one : near) one.insert(0, front);
  return near;
}

}  // namespace sx
