// Which kind of YAML or unit a text is, and what is refused by name.
#include "gather/manifest.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "gather/argument_map.h"
#include "gather/manifest_kinds.h"

namespace sx {
namespace {

constexpr Text kHelmTemplate{
    "{name}is a Helm template; render it first: helm template RELEASE CHART | sextant check -f -",
    "{name}是 Helm 模板；先渲染再检查：helm template RELEASE CHART | sextant check -f -"};
constexpr Text kHelmValues{
    "{name}holds values of a Helm chart, not manifests; render it first: helm template RELEASE "
    "CHART -f {file} | sextant check -f -",
    "{name}是 Helm chart 的 values，不是清单；先渲染再检查：helm template RELEASE CHART -f {file} "
    "| "
    "sextant check -f -"};
constexpr Text kOtherYaml{
    "{name}is YAML, but neither a compose file (services:) nor Kubernetes manifests (apiVersion:, "
    "kind:) nor a file of flags (model:, tensor-parallel-size:)",
    "{name}是 YAML，但不是 compose 文件（services:），不是 Kubernetes "
    "清单（apiVersion:、kind:），也不是参数文件（model:、tensor-parallel-size:）"};
constexpr Text kStandardInput{"standard input ", "标准输入"};

Both shown(const Source& source) {
  if (source.name.empty()) return in_both(kStandardInput);
  return {source.name + ' ', source.name + ' '};
}

// At most its beginning: the words that are looked for are short, and a text may be one long word.
std::string_view word_behind(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongEnough = 32;
  while (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
  const std::size_t most = std::min(text.size(), at + kLongEnough);
  std::size_t end = at;
  while (end < most && text[end] != ' ' && text[end] != '}' && text[end] != '\n') ++end;
  return text.substr(at, end - at);
}

// {{ .Values.x }}, {{- if … }}: Helm's own words, so that a chat template in a flag is none.
bool is_helm_template(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"if",      "range",    "with",   "end",   "else",
                                                   "include", "template", "define", "toYaml"};
  for (auto at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 2)) {
    const std::string_view word = word_behind(text, at + 2);
    for (const std::string_view object : {".Values", ".Release", ".Chart", "$.Values"}) {
      if (word.starts_with(object)) return true;
    }
    std::size_t front = at;
    while (front > 0 && (text[front - 1] == ' ' || text[front - 1] == '\t')) --front;
    const bool own_line = front == 0 || text[front - 1] == '\n';
    if (own_line && std::ranges::find(kWords, word) != kWords.end()) return true;
  }
  return false;
}

bool is_map(const YamlNode& node) { return node.kind == YamlNode::Kind::Map; }

bool is_kubernetes(const YamlNode& document) {
  return is_map(document) && document.find("kind") != nullptr &&
         (document.find("apiVersion") != nullptr || document.find("spec") != nullptr);
}

// The first form of compose files: services at the top, without `services:`.
bool is_old_compose(const YamlNode& document) {
  return is_map(document) && !document.members.empty() &&
         std::ranges::all_of(document.members, [](const YamlMember& member) {
           return is_map(member.value) &&
                  (member.value.find("image") != nullptr || member.value.find("build") != nullptr);
         });
}

bool is_helm_values(std::string_view name, const YamlNode& document) {
  if (!is_map(document)) return false;
  for (const std::string_view key : {"servingEngineSpec", "routerSpec", "modelArtifacts"}) {
    if (document.find(key) != nullptr) return true;
  }
  return lower(name).contains("values") && document.find("services") == nullptr;
}

}  // namespace

std::string beside(const Source& manifest, std::string_view path, const Outside& outside) {
  if (path.starts_with('/')) return std::string(path);
  const std::size_t slash = manifest.uri.rfind('/');
  if (slash == std::string::npos) return path_in(outside.folder, path);
  return manifest.uri.substr(0, slash + 1) + std::string(path);
}

Result<ReadCommands> read_yaml_text(Sources& sources, int source, const Outside& outside) {
  const std::string text = sources.at(source).text;
  const Both name = shown(sources.at(source));
  if (is_helm_template(text))
    return fail(Error::Kind::Unsupported, in_both({kHelmTemplate, {{"name", name}}}));
  SX_TRY(const auto documents, parse_yaml(sources, source));
  for (const YamlNode& document : documents) {
    if (is_kubernetes(document)) return read_kubernetes(sources, source, documents);
  }
  for (const YamlNode& document : documents) {
    const bool services = is_map(document) && document.find("services") != nullptr;
    if (services)
      return read_compose(sources, source, document, *document.find("services"), outside);
    if (is_old_compose(document)) return read_compose(sources, source, document, document, outside);
  }
  for (const YamlNode& document : documents) {
    auto command = command_of_arguments(sources, source, document);
    if (!command) continue;
    ReadCommands read;
    read.commands.push_back({.command = *std::move(command), .around = {}});
    return read;
  }
  const std::string file = sources.at(source).name;
  for (const YamlNode& document : documents) {
    if (is_helm_values(file, document)) {
      return fail(Error::Kind::Unsupported,
                  in_both({kHelmValues, {{"name", name}, {"file", file.empty() ? "-" : file}}}));
    }
  }
  return fail(Error::Kind::Unsupported, in_both({kOtherYaml, {{"name", name}}}));
}

}  // namespace sx
