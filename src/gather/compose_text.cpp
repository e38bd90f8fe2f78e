// The services of a compose file, with what lies beside it: .env for its variables, env_file for a
// service's environment, and the files that `extends` names.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/strings.h"
#include "gather/compose_service.h"
#include "gather/environment_file.h"
#include "gather/manifest.h"
#include "gather/manifest_kinds.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

constexpr Bytes kFileLimit = mib(8);
constexpr int kDeepestExtends = 8;  // of a service that extends one that extends …
constexpr std::size_t kMostServices = 256;
constexpr std::size_t kMostFiles = 32;  // that one compose file may name

constexpr Text kTooManyServices{"there are more than {most} services in the compose file",
                                "compose 文件里的服务超过 {most} 个"};

// Members of `over` replace those of `base`; maps are joined, lists of settings, mounts, ports and
// devices are put together.
YamlNode merged(const YamlNode& base, const YamlNode& over) {
  if (base.kind != over.kind) return over;
  if (base.kind == YamlNode::Kind::List) {
    YamlNode out = over;
    out.items.insert(out.items.begin(), base.items.begin(), base.items.end());
    return out;
  }
  if (base.kind != YamlNode::Kind::Map) return over;
  YamlNode out = base;
  out.span = over.span;
  out.key_span = over.key_span;
  for (const YamlMember& member : over.members) {
    const auto found = std::ranges::find(out.members, member.key, &YamlMember::key);
    const bool whole =
        member.key == "command" || member.key == "entrypoint" || member.key == "test";
    if (found == out.members.end()) {
      out.members.push_back(member);
    } else {
      found->value = whole ? member.value : merged(found->value, member.value);
    }
  }
  return out;
}

class ComposeReader {
 public:
  ComposeReader(Sources& sources, int source, const Outside& outside)
      : sources_(sources), source_(source), outside_(outside) {
    const auto text = outside.files->read(beside(sources.at(source), ".env", outside), kFileLimit);
    if (!text) return;
    for (Setting& line : environment_lines(*text, -1))
      variables_[line.name] = std::move(line.value);
  }

  Result<ReadCommands> read(const YamlNode& services) {
    ReadCommands read{.name = sources_.at(source_).name};
    if (services.members.size() > kMostServices) {
      return fail(Error::Kind::TooLarge, in_both({kTooManyServices, {{"most", kMostServices}}}));
    }
    for (const YamlMember& member : services.members) {
      if (member.value.kind != YamlNode::Kind::Map) continue;
      take_service(member.key, extended(member.value, services, source_, 0), read);
    }
    return read;
  }

 private:
  ComposeText compose() const {
    return {.sources = sources_, .variables = [this](std::string_view name) {
              const auto found = variables_.find(name);
              return found == variables_.end() ? std::nullopt : std::optional(found->second);
            }};
  }

  std::optional<int> source_of(int from, std::string_view path) {
    const std::string at = beside(sources_.at(from), path, outside_);
    for (std::size_t i = 0; i < sources_.all().size(); ++i) {
      const Source& known = sources_.all()[i];
      if (known.kind == SourceKind::File && known.uri == at) return static_cast<int>(i);
    }
    if (++files_ > kMostFiles) return {};
    auto text = outside_.files->read(at, kFileLimit);
    if (!text) return {};
    return sources_.add(
        {.kind = SourceKind::File, .name = std::string(path), .uri = at, .text = std::move(*text)});
  }

  YamlNode extended(const YamlNode& service, const YamlNode& services, int source, int depth) {
    const YamlNode* extends = service.find("extends");
    if (extends == nullptr || depth >= kDeepestExtends) return service;
    const YamlNode* name =
        extends->kind == YamlNode::Kind::Map ? extends->find("service") : extends;
    const YamlNode* file = extends->kind == YamlNode::Kind::Map ? extends->find("file") : nullptr;
    if (name == nullptr) return service;
    if (file == nullptr) {
      const YamlNode* base = services.find(compose().text(name).text());
      return base == nullptr ? service
                             : merged(extended(*base, services, source, depth + 1), service);
    }
    const auto other = source_of(source, compose().text(file).text());
    if (!other) return service;
    const auto documents = parse_yaml(sources_, *other);
    if (!documents || documents->empty()) return service;
    const YamlNode* others = documents->front().find("services");
    const YamlNode* base = others == nullptr ? nullptr : others->find(compose().text(name).text());
    if (base == nullptr) return service;
    return merged(extended(*base, *others, *other, depth + 1), service);
  }

  // In front of the service's own environment, which goes before it.
  void take_env_files(const YamlNode& service, Container& container) {
    const YamlNode* node = service.find("env_file");
    if (node == nullptr) return;
    std::vector<const YamlNode*> paths;
    if (node->kind == YamlNode::Kind::Scalar) paths.push_back(node);
    for (const YamlNode& item : node->items)
      paths.push_back(item.kind == YamlNode::Kind::Map ? item.find("path") : &item);
    std::vector<Setting> all;
    EnvironmentFiles files(sources_, outside_, container.around);
    for (const YamlNode* path : paths) {
      const PlacedText text = compose().text(path);
      if (text.source() < 0 || !text.complete()) continue;
      files.add(text.text(), beside(sources_.at(text.source()), text.text(), outside_), all);
    }
    container.environment.insert(container.environment.begin(), all.begin(), all.end());
  }

  void take_service(const std::string& name, const YamlNode& service, ReadCommands& read) {
    Container container = compose_container(compose(), name, service);
    take_env_files(service, container);
    ContainerCommands found = commands_of(sources_, container);
    for (Command& command : found.commands)
      read.commands.push_back({std::move(command), container.around});
    read.notes.insert(read.notes.end(), found.notes.begin(), found.notes.end());
  }

  Sources& sources_;
  int source_;
  const Outside& outside_;
  std::map<std::string, std::string, std::less<>> variables_;
  std::size_t files_ = 0;
};

}  // namespace

Result<ReadCommands> read_compose(Sources& sources, int source, const YamlNode& services,
                                  const Outside& outside) {
  return ComposeReader(sources, source, outside).read(services);
}

}  // namespace sx
