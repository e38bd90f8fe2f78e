// Pods in Kubernetes manifests, wherever a kind keeps them: a map with `containers` is a pod, so
// kinds that nobody has heard of are read as well.
#include <algorithm>
#include <array>

#include "gather/kubernetes_container.h"
#include "gather/manifest_kinds.h"
#include "gather/manifest_values.h"
#include "read/shell_placed.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

constexpr std::size_t kMostContainers = 512;

constexpr Text kTooMany{"there are more than {most} containers in the manifests",
                        "清单里的容器超过 {most} 个"};
constexpr Text kRay{
    "{kind} keeps its launch in Ray's own configuration, which is not read: give the engine's "
    "command after --",
    "{kind} 的启动参数写在 Ray 自己的配置里，这里不读取：引擎命令要写在 -- 之后"};

std::string text_of(const YamlNode* scalar) {
  return scalar != nullptr && scalar->kind == YamlNode::Kind::Scalar ? scalar->text : std::string();
}

std::vector<PlacedWord> words_of(const Sources& sources, const YamlNode& container,
                                 std::string_view key, const KubernetesVariables& variables,
                                 Surroundings& around) {
  const YamlNode* list = container.find(key);
  if (list == nullptr || list->kind != YamlNode::Kind::List) return {};
  std::vector<PlacedWord> words = list_words(sources, *list);
  for (PlacedWord& word : words) {
    const PlacedText text = kubernetes_expanded(word.text, variables);
    word.literal = word.literal && text.text() == word.text.text() && text.complete();
    word.text = text;
  }
  for (const YamlNode& item : list->items) {
    if (is_no_text(sources, item)) {
      around.faults.push_back(
          {ManifestFault::Kind::NotText, std::string(key), item.text, item.span});
    }
  }
  return words;
}

class KubernetesReader {
 public:
  KubernetesReader(const Sources& sources, const std::vector<YamlNode>& documents)
      : sources_(sources), services_(kubernetes_services(sources, documents)) {}

  ReadCommands read;
  bool too_many = false;
  std::string ray_kind;

  void walk(const YamlNode& node, KubernetesWorkload workload) {
    if (node.kind == YamlNode::Kind::List) {
      for (const YamlNode& item : node.items) walk(item, workload);
      return;
    }
    if (node.kind != YamlNode::Kind::Map) return;
    begin_workload(node, workload);
    if (workload.kind == "ConfigMap") return take_scripts(node, workload);
    if (const YamlNode* replicas = node.find("replicas")) workload.replicas = number(*replicas);
    const YamlNode* containers = node.find("containers");
    if (containers != nullptr && containers->kind == YamlNode::Kind::List) {
      take_pod(node, workload);
      return;
    }
    // KServe's short form: one container without a name.
    const bool is_model = node.find("modelFormat") != nullptr && node.find("args") != nullptr;
    if (is_model) take_container(node, node, workload);
    for (const YamlMember& member : node.members) {
      KubernetesWorkload inner = workload;
      if (const YamlNode* metadata = member.value.find("metadata"))
        inner.labels = kubernetes_labels(metadata->find("labels"));
      if (member.key == "leaderWorkerTemplate") {
        inner.in_group = true;
        if (const YamlNode* size = member.value.find("size")) inner.hosts = number(*size);
      }
      if (member.key != "metadata" && member.key != "status") walk(member.value, inner);
    }
  }

 private:
  Fact<int> number(const YamlNode& node) const {
    if (node.kind != YamlNode::Kind::Scalar) return {};
    return count_fact(placed_text(sources_, node));
  }

  // A map with a kind and a name of its own: a document, or an item of a List.
  void begin_workload(const YamlNode& node, KubernetesWorkload& workload) {
    const YamlNode* kind = node.find("kind");
    const YamlNode* metadata = node.find("metadata");
    if (kind == nullptr || metadata == nullptr || kind->kind != YamlNode::Kind::Scalar) return;
    workload = {.kind = kind->text,
                .labels = kubernetes_labels(metadata->find("labels")),
                .services = &services_};
    if (const YamlNode* name = metadata->find("name")) {
      workload.name = text_of(name);
      workload.name_span = name->span;
    }
    if (workload.kind.starts_with("Ray")) ray_kind = workload.kind;
  }

  void take_pod(const YamlNode& pod, const KubernetesWorkload& workload) {
    for (const std::string_view key : {"initContainers", "containers"}) {
      const YamlNode* containers = pod.find(key);
      if (containers == nullptr) continue;
      for (const YamlNode& item : containers->items) {
        if (item.kind == YamlNode::Kind::Map) take_container(pod, item, workload);
      }
    }
  }

  void take_container(const YamlNode& pod, const YamlNode& node,
                      const KubernetesWorkload& workload) {
    too_many = too_many || ++containers_ > kMostContainers;
    if (too_many) return;
    const Container container = kubernetes_container(sources_, workload, pod, node);
    add(commands_of(sources_, container), container.around);
  }

  // Scripts that pods mount; which of them, is not followed.
  void take_scripts(const YamlNode& map, const KubernetesWorkload& workload) {
    const YamlNode* data = map.find("data");
    if (data == nullptr) return;
    for (const YamlMember& member : data->members) {
      const bool script = member.key.ends_with(".sh") || member.value.text.starts_with("#!/");
      if (!script || member.value.kind != YamlNode::Kind::Scalar) continue;
      if (++containers_ > kMostContainers) return;
      Surroundings around;
      around.kind = Surroundings::Kind::Kubernetes;
      around.name = workload.name;
      around.name_span = workload.name_span;
      around.workload = workload.kind;
      around.joined = true;  // the pod that mounts it says the rest
      ShellText shell = parse_placed_shell(sources_, placed_text(sources_, member.value), {},
                                           edits_inside(sources_, member.value));
      add({std::move(shell.commands), std::move(shell.notes)}, around);
    }
  }

  void add(ContainerCommands found, const Surroundings& around) {
    for (Command& command : found.commands) read.commands.push_back({std::move(command), around});
    read.notes.insert(read.notes.end(), found.notes.begin(), found.notes.end());
  }

  const Sources& sources_;
  std::vector<KubernetesService> services_;
  std::size_t containers_ = 0;
};

}  // namespace

Container kubernetes_container(const Sources& sources, const KubernetesWorkload& workload,
                               const YamlNode& pod, const YamlNode& container) {
  Container out;
  out.source = container.span.source;
  Surroundings& around = out.around;
  around.kind = Surroundings::Kind::Kubernetes;
  around.workload = workload.kind;
  const YamlNode* name = container.find("name");
  around.name = workload.name.empty() ? text_of(name) : workload.name;
  around.name_span = workload.name.empty() && name != nullptr ? name->span : workload.name_span;
  around.replicas = workload.replicas;
  around.hosts = workload.hosts;
  if (const YamlNode* image = container.find("image");
      image != nullptr && image->kind == YamlNode::Kind::Scalar) {
    out.image = placed_text(sources, *image);
    around.image = text_fact(out.image);
    around.image_tag = tag_of(out.image);
  }
  take_kubernetes_environment(sources, workload, container, out);
  const KubernetesVariables variables{out.environment, container.find("envFrom") != nullptr,
                                      workload};
  out.entrypoint = words_of(sources, container, "command", variables, around);
  out.has_entrypoint = !out.entrypoint.empty();
  out.args = words_of(sources, container, "args", variables, around);
  take_kubernetes_limits(sources, pod, container, around);
  take_kubernetes_ports(sources, workload, pod, container, around);
  return out;
}

Result<ReadCommands> read_kubernetes(Sources& sources, int source,
                                     const std::vector<YamlNode>& documents) {
  KubernetesReader reader(sources, documents);
  for (const YamlNode& document : documents) reader.walk(document, {});
  if (reader.too_many)
    return fail(Error::Kind::TooLarge, in_both({kTooMany, {{"most", kMostContainers}}}));
  if (reader.read.commands.empty() && !reader.ray_kind.empty())
    return fail(Error::Kind::Unsupported, in_both({kRay, {{"kind", reader.ray_kind}}}));
  reader.read.name = sources.at(source).name;
  return std::move(reader.read);
}

}  // namespace sx
