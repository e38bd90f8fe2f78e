// model.container_options: words that docker or podman would read otherwise than they are meant,
// and options that are decided elsewhere.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "facts/container_line.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

constexpr Text kNeedsValue{"{option} of {program} needs a value",
                           "{program} 的 {option} 需要一个值"};
constexpr Text kBehindIt{"it would take what stands behind it, in the end the image",
                         "它会把后面的词当作值，最后连镜像也会被取走"};
constexpr Text kNoOption{"{program} run has no option {option}", "{program} run 没有选项 {option}"};
constexpr Text kClosest{"did you mean {closest}?", "是否想写 {closest}？"};
constexpr Text kWhichImage{"then it is not known where the image stands",
                           "这样就无法确定镜像的位置"};
constexpr Text kNotAnOption{"{word} is no option and no value of one",
                            "{word} 既不是选项，也不是选项的值"};
constexpr Text kTheImage{"{program} would take it for the image, in place of {image}",
                         "{program} 会把它当作镜像，而不是 {image}"};
constexpr Text kEndsOptions{"behind {word} no option can stand", "{word} 之后不能再有选项"};
constexpr Text kOthersFollow{"others are put there: it has to go",
                             "后面还要加入其他选项，须去掉它"};
constexpr Text kDecided{"{option} cannot stand among the container options",
                        "容器选项中不能有 {option}"};

// What a replica of ours is, and what other settings say.
struct Decided {
  std::string_view option;
  Text why;
};
constexpr Text kOurName{"each replica has a name of its own, by which it is found again",
                        "每个副本有自己的名称，靠它找回容器"};
constexpr Text kOurEnd{"its end is looked at before it is removed, so that is done here",
                       "要先查看它怎样结束再删除，因此由 Sextant 删除"};
constexpr Text kAttached{"it stays attached: its output and its end are read",
                         "它不能脱离前台：要读取它的输出，并得知它何时结束"};
constexpr Text kOurRestart{"Sextant restarts it; the table [restart] says how",
                           "由 Sextant 重启，方式写在 [restart] 里"};
constexpr Text kOurPort{"its port is published by Sextant, to this machine alone",
                        "它的端口由 Sextant 发布，且只发布给本机"};
constexpr Text kOurEntry{"the launch's own program takes the place of the entrypoint",
                         "启动命令本身的程序会取代镜像的 entrypoint"};
constexpr Text kOurGpus{"model.gpus says which GPUs it has", "它用哪些 GPU 由 model.gpus 决定"};
constexpr Text kOnlyHelp{"with it the program prints its help and starts nothing",
                         "有了它，程序只打印帮助，什么也不启动"};
constexpr Text kOurShm{"model.shm_gib says how large it is", "大小由 model.shm_gib 决定"};
constexpr std::array kDecidedElsewhere{
    Decided{"--name", kOurName},
    Decided{"--cidfile", kOurName},
    Decided{"--rm", kOurEnd},
    Decided{"--detach", kAttached},
    Decided{"--attach", kAttached},
    Decided{"--tty", kAttached},
    Decided{"--interactive", kAttached},
    Decided{"--sig-proxy", kAttached},
    Decided{"--restart", kOurRestart},
    Decided{"--publish", kOurPort},
    Decided{"--publish-all", kOurPort},
    Decided{"--entrypoint", kOurEntry},
    Decided{"--gpus", kOurGpus},
    Decided{"--shm-size", kOurShm},
    Decided{"--help", kOnlyHelp},
};
constexpr Text kNoNetwork{"without a network nobody reaches its port",
                          "没有网络，就无法访问它的端口"};
constexpr Text kOtherNetwork{"model.network says it: \"host\" or \"published\"",
                             "由 model.network 决定：\"host\" 或 \"published\""};

// Why this option cannot stand there; nothing: it can. A network by its name may.
std::optional<Message> reason_against(const ContainerOption& option, const ImageSettings& image) {
  for (const Decided& one : kDecidedElsewhere) {
    if (one.option == option.name) return Message{one.why};
  }
  if (option.name != "--network" && option.name != "--net") return {};
  if (option.value == "none") return Message{kNoNetwork};
  const bool named = option.value != "host" && !option.value.starts_with("container:");
  if (named && !image.host_network) return {};
  return Message{kOtherNetwork};
}

class Options {
 public:
  Options(const ImageSettings& image, const TomlValue& value) : image_(image), value_(value) {
    words_ = {{.text = image.program}, {.text = "run"}};
    for (const std::string& word : image.options) words_.push_back({.text = word});
    words_.push_back({.text = image.image});
  }

  std::vector<FileFault> faults() {
    if (image_.options.empty()) return {};
    const auto ends = std::ranges::find(image_.options, "--");
    if (ends != image_.options.end()) {
      add(2 + static_cast<std::size_t>(ends - image_.options.begin()),
          {kEndsOptions, {{"word", "--"}}}, {kOthersFollow});
      return std::move(faults_);
    }
    // Where the last option takes the image, a word stands in for it.
    auto with_one_more = words_;
    with_one_more.push_back({.text = image_.image});
    const auto line = container_line(with_one_more);
    if (!line) return {};
    for (const ContainerOption& option : line->options) look_at(option, *line);
    if (!unknown_ && line->image + 2 < with_one_more.size())
      add(line->image, {kNotAnOption, {{"word", shown(words_[line->image].text)}}},
          {kTheImage, {{"program", image_.program}, {"image", image_.image}}});
    return std::move(faults_);
  }

 private:
  static std::string shown(const std::string& word) { return word.empty() ? "\"\"" : word; }

  void look_at(const ContainerOption& option, const ContainerLine& line) {
    const std::size_t image = words_.size() - 1;
    if (option.known == nullptr) {
      unknown_ = true;
      const auto near = closest(option.name, docker_option_names(DockerVerb::Run, line.program), 1);
      add(option.first_word, {kNoOption, {{"program", line.program}, {"option", option.name}}},
          near.empty() ? Message{kWhichImage} : Message{kClosest, {{"closest", near.front()}}});
    } else if (auto why = reason_against(option, image_)) {
      add(option.first_word, {kDecided, {{"option", option.name}}}, *std::move(why));
    } else if (option.first_word + option.word_count > image) {
      add(option.first_word, {kNeedsValue, {{"option", option.name}, {"program", line.program}}},
          {kBehindIt});
    }
  }

  // One text stands in its quotes as a whole, of a list each word.
  void add(std::size_t word, Message title, Message label) {
    const bool list = value_.kind == TomlValue::Kind::Array;
    const std::size_t item = word < 2 ? 0 : word - 2;
    const Span span = list && item < value_.items.size() ? value_.items[item].span : value_.span;
    faults_.push_back({.title = std::move(title),
                       .labels = {{.span = span, .text = std::move(label), .primary = true}}});
  }

  const ImageSettings& image_;
  const TomlValue& value_;
  std::vector<Word> words_;
  std::vector<FileFault> faults_;
  bool unknown_ = false;  // whether the next word is its value nobody can tell
};

}  // namespace

std::vector<FileFault> faults_of_container_options(const ImageSettings& image,
                                                   const TomlValue& value) {
  return Options(image, value).faults();
}

}  // namespace sx
