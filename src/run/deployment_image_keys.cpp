// Settings of the container in which a model runs.
#include <algorithm>

#include "facts/container_values.h"
#include "read/shell_words.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

constexpr std::int64_t kMostShmGib = 65536;  // more than a machine has

bool is_image(const std::string& text) {
  return !text.empty() && !text.starts_with('-') &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

bool are_mounts(const std::vector<std::string>& mounts) {
  return std::ranges::all_of(mounts, [](const std::string& text) {
    const auto mount = volume_mount(text);
    return mount && !mount->host.empty() && mount->inside.starts_with('/');
  });
}

// One text holds all of them, as a shell reads it.
bool put_options(const SettingTarget& to) {
  std::vector<std::string>& options = to.model.image.options;
  if (!put_words(to, options)) return false;
  if (to.value.kind != TomlValue::Kind::String) return true;
  Sources sources;
  const auto read = parse_shell(sources, sources.add({.name = {}, .text = options.front()}));
  options.clear();
  if (!read || read->commands.size() != 1) return false;
  const Command& line = read->commands.front();
  for (const Word& word : line.words) options.push_back(word.text);
  return line.environment.empty() && line.before.empty() && line.after.empty() &&
         std::ranges::all_of(line.words, [](const Word& word) { return word.complete; });
}

void add_place(std::vector<SettingKey>& made) {
  made.push_back({{.key = "model.image",
                   .takes = "text",
                   .means = {"a container image to run it in: vllm/vllm-openai:v0.11.0",
                             "运行它的容器镜像：vllm/vllm-openai:v0.11.0"},
                   .otherwise = "",
                   .without = {"no container", "不用容器"}},
                  [](const SettingTarget& to) {
                    return put_text(to, to.model.image.image) && is_image(to.model.image.image);
                  }});
  made.push_back({{.key = "model.container",
                   .takes = "text",
                   .means = {"what starts the image", "用什么启动镜像"},
                   .otherwise = "\"docker\"",
                   .choices = {"docker", "podman"}},
                  [](const SettingTarget& to) { return put_text(to, to.model.image.program); }});
  made.push_back(
      {{.key = "model.network",
        .takes = "text",
        .means = {"published: its port is published to this machine alone; host: it has the "
                  "machine's own network",
                  "published：端口只发布给本机；host：直接使用本机网络"},
        .otherwise = "\"published\"",
        .choices = {"published", "host"}},
       [](const SettingTarget& to) {
         std::string word;
         const bool good = put_text(to, word);
         to.model.image.host_network = word == "host";
         return good;
       }});
}

}  // namespace

void add_image_keys(std::vector<SettingKey>& made) {
  add_place(made);
  made.push_back({{.key = "model.mounts",
                   .takes = "words",
                   .means = {"folders it sees besides its model and the caches of downloads: "
                             "[\"/data/models:/models:ro\"]",
                             "除模型与下载缓存外还能看到的目录：[\"/data/models:/models:ro\"]"},
                   .otherwise = "",
                   .without = {"model and caches", "模型与缓存"}},
                  [](const SettingTarget& to) {
                    return put_words(to, to.model.image.mounts) &&
                           are_mounts(to.model.image.mounts);
                  }});
  made.push_back({{.key = "model.shm_gib",
                   .takes = "number",
                   .means = {"size of its own /dev/shm; without it: the machine's (--ipc host)",
                             "容器自己的 /dev/shm 大小（GiB）；不写则用本机的（--ipc host）"},
                   .otherwise = "",
                   .without = {"the machine's /dev/shm", "本机的 /dev/shm"},
                   .least = 1,
                   .most = kMostShmGib},
                  [](const SettingTarget& to) {
                    std::int64_t number = 0;
                    const bool good = put_number(to, number);
                    if (good) to.model.image.shm_gib = static_cast<int>(number);
                    return good;
                  }});
  made.push_back({{.key = "model.container_options",
                   .takes = "words",
                   .means = {"further words of docker run: [\"--ulimit\", \"memlock=-1\"]",
                             "docker run 的其他选项：[\"--ulimit\", \"memlock=-1\"]"},
                   .otherwise = "",
                   .without = {"none", "无"}},
                  put_options});
}

}  // namespace sx
