// Options first, then the image, then the launch without the words that the image begins with.
#include "run/image_command.h"

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "facts/container_line.h"
#include "facts/container_values.h"
#include "facts/paths.h"
#include "knowledge/download_caches.h"
#include "knowledge/images.h"
#include "run/engine_launch.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

constexpr Text kContained{"model.image stands there, and the command starts a container itself",
                          "写了 model.image，而命令本身又启动容器"};
constexpr Text kNotTheImage{
    "model.container_options: {word} would be taken for the image, in place of {image}",
    "model.container_options：{word} 会被当作镜像，而不是 {image}"};
constexpr Text kOptionsEnd{
    "model.container_options: behind {word} no option can stand, and others are put there",
    "model.container_options：{word} 之后不能再有选项，而后面还要加入其他选项"};
constexpr Text kUnread{"{program} has no option {word}: where its image stands is not known",
                       "{program} 没有 {word} 选项：无法确定镜像的位置"};

void add(Words& words, std::string option, std::string value) {
  words.push_back(std::move(option));
  words.push_back(std::move(value));
}

std::string variable(const ImageAsk& ask, const std::string& name) {
  const auto found = ask.environment.find(name);
  return found == ask.environment.end() ? "" : found->second;
}

// "~/models:/models", "models:/models" and "./models:/models" begin at the home and at our folder;
// a name without a slash is a volume of docker.
std::string whole_mount(const std::string& mount, const ImageAsk& ask) {
  const std::string home = variable(ask, "HOME");
  if (mount.starts_with("~/") && !home.empty()) return home + mount.substr(1);
  const std::string host = mount.substr(0, mount.find(':'));
  const bool is_path = host.starts_with('.') || host.find('/') != std::string::npos;
  return is_path && !host.starts_with('/') ? ask.folder + '/' + mount : mount;
}

// Of a download the files are links into the folder of its repository, so that goes in whole; of a
// file its folder does, where the other parts of it are.
std::string folder_of_model(const std::string& path, const Files& files) {
  const std::size_t repository = path.find("/models--");
  if (repository != std::string::npos) return path.substr(0, path.find('/', repository + 1));
  const auto info = files.info(path);
  if (info && info->kind == FileInfo::Kind::Directory) return path;
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

bool is_mounted(const Words& mounts, std::string_view path) {
  return std::ranges::any_of(mounts, [&](const std::string& text) {
    const auto mount = volume_mount(text);
    return mount && lies_under(path, mount->inside);
  });
}

// Each cache of downloads under its own path, and the variable that says so inside.
void add_downloads(Words& words, const ImageAsk& ask, const Files& files) {
  // A folder that is not there docker makes, and makes it root's; podman does not begin.
  const bool makes = ask.settings.program != "podman";
  const auto places =
      cache_places([&](std::string_view name) { return variable(ask, std::string(name)); });
  for (const CachePlace& place : places) {
    const bool counts = (makes && place.row->made) || files.info(place.folder);
    if (!place.folder.starts_with('/') || !counts) continue;
    add(words, "--volume", place.folder + ':' + place.folder);
    add(words, "--env", std::string(place.row->inside) + '=' + place.folder);
  }
}

void add_files(Words& words, const Launch& launch, const ImageAsk& ask, const Files& files) {
  Words mounts;
  for (const std::string& mount : ask.settings.mounts) mounts.push_back(whole_mount(mount, ask));
  for (const std::string& mount : mounts) add(words, "--volume", mount);
  std::string model = launch.serve.model.value_or("");
  // A relative path of the launch begins where it would without a container.
  if (!model.empty() && !model.starts_with('/') && files.info(ask.folder + '/' + model)) {
    model = std::filesystem::path(ask.folder + '/' + model).lexically_normal().string();
    add(words, "--workdir", ask.folder);
  }
  if (!model.starts_with('/')) {
    add_downloads(words, ask, files);
  } else if (!is_mounted(mounts, model) && files.info(model)) {
    const std::string folder = folder_of_model(model, files);
    add(words, "--volume", folder + ':' + folder + ":ro");
  }
}

void add_variables(Words& words, const Launch& launch, const ImageAsk& ask) {
  const auto sets = [&](const std::string& name) {
    return std::ranges::any_of(launch.command.environment,
                               [&](const Setting& one) { return one.prefix && one.name == name; });
  };
  for (const auto& [name, value] : ask.environment) {
    if (!sets(name) && passed_into_container(launch.serve.engine, name, value))
      add(words, "--env", name);
  }
  for (const Setting& setting : launch.command.environment) {
    if (setting.prefix) add(words, "--env", setting.name + '=' + setting.value);
  }
}

std::string_view program_name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is the beginning
}

// The words inside, and --entrypoint where the image begins with something else.
void add_image(Words& words, const std::string& image, Words inside) {
  const auto known = known_image(image);
  const auto begins = [&] {
    if (!known || known->entrypoint.size() > inside.size()) return false;
    for (std::size_t i = 0; i < known->entrypoint.size(); ++i) {
      if (program_name_of(known->entrypoint[i]) != program_name_of(inside[i])) return false;
    }
    return true;  // also where it has none: then the words are given whole
  };
  std::size_t first = 0;
  if (begins()) {
    first = known->entrypoint.size();
  } else {
    add(words, "--entrypoint", inside.front());
    first = 1;
  }
  words.push_back(image);
  words.insert(words.end(), inside.begin() + static_cast<std::ptrdiff_t>(first), inside.end());
}

// As docker itself would find the image.
Result<void> image_is_where_it_was_put(const Words& words, std::size_t at,
                                       const std::string& image) {
  std::vector<Word> read;
  for (const std::string& word : words) read.push_back({.text = word});
  const auto line = container_line(read);
  if (!line || line->image >= words.size())
    return fail(Error::Kind::Usage,
                in_both({kNotTheImage, {{"word", words.back()}, {"image", image}}}));
  for (const ContainerOption& option : line->options) {
    if (option.known == nullptr)
      return fail(Error::Kind::Usage,
                  in_both({kUnread, {{"program", line->program}, {"word", option.name}}}));
  }
  if (line->image != at)
    return fail(Error::Kind::Usage,
                in_both({kNotTheImage, {{"word", words[line->image]}, {"image", image}}}));
  return {};
}

Words words_inside(const Launch& launch) {
  const Command& command = launch.command;
  Words inside = words_in_front(command);
  // Its variables are options of the container; an `env -u NAME` goes inside as it is.
  drop_bare_env(inside);
  for (const Word& word : command.words) inside.push_back(word.text);
  return inside;
}

}  // namespace

bool passed_into_container(std::string_view engine, std::string_view name, std::string_view value) {
  // The runtime of NVIDIA reads its own inside; where GPUs are is said by --gpus.
  return read_by_engine(engine, name) && !name.starts_with("NVIDIA_") && !value.starts_with('/');
}

Result<Words> image_command(const Launch& launch, const ImageAsk& ask, const Files& files) {
  if (!launch.command.front.empty()) return fail(Error::Kind::Usage, in_both({kContained}));
  const ImageSettings& settings = ask.settings;
  if (std::ranges::find(settings.options, "--") != settings.options.end())
    return fail(Error::Kind::Usage, in_both({kOptionsEnd, {{"word", "--"}}}));
  Words words{settings.program, "run"};
  // Podman's way is the device file of the container toolkit, docker's its own option.
  if (ask.gpus && settings.program == "podman") add(words, "--device", "nvidia.com/gpu=all");
  if (ask.gpus && settings.program != "podman") add(words, "--gpus", "all");
  if (settings.host_network) add(words, "--network", "host");
  if (settings.shm_gib == 0) add(words, "--ipc", "host");
  if (settings.shm_gib > 0) add(words, "--shm-size", std::to_string(settings.shm_gib) + 'g');
  add_files(words, launch, ask, files);
  add_variables(words, launch, ask);
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  const Words inside = words_inside(launch);
  const std::size_t options = words.size();
  add_image(words, settings.image, inside);
  const std::size_t image = words[options] == "--entrypoint" ? options + 2 : options;
  if (auto good = image_is_where_it_was_put(words, image, settings.image); !good)
    return std::unexpected(good.error());
  return words;
}

}  // namespace sx
