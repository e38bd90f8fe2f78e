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
#include "gather/manifest_values.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

constexpr Bytes kFileLimit = mib(8);
constexpr int kDeepestExtends = 8;  // of a service that extends one that extends …
constexpr std::size_t kMostServices = 256;
constexpr std::size_t kMostFiles = 32;  // that one compose file may name
constexpr std::size_t kMostShown = 8;   // names in one remark

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

constexpr Text kEnvNotRead{"variables from .env are not known here: {what}",
                           ".env 里的变量在这里未知：{what}"};
constexpr Text kEnvTooLong{"only the first {most} variables of .env are read",
                           "只读取了 .env 的前 {most} 个变量"};
constexpr Text kExtendsNotRead{
    "what service {name} takes over with `extends` is not known here: {what}",
    "服务 {name} 通过 `extends` 继承的内容在这里未知：{what}"};
constexpr Text kDeep{"more than {most} services extend one another",
                     "互相继承的服务超过 {most} 个"};
constexpr Text kManyFiles{"more than {most} files are named", "列出的文件超过 {most} 个"};
constexpr Text kNoSuchService{"there is no service {name} in {file}", "{file} 里没有服务 {name}"};
constexpr Text kNoYaml{"{file} is no compose file that can be read",
                       "{file} 不是可读的 compose 文件"};
constexpr Text kInclude{"files under `include` are not read: give each with -f",
                        "没有读取 `include` 列出的文件：用 -f 逐个给出"};
constexpr Text kProfile{"service {name} starts only with one of its profiles: {profiles}",
                        "服务 {name} 只在选用其 profile 时启动：{profiles}"};

class ComposeReader {
 public:
  ComposeReader(Sources& sources, int source, const Outside& outside)
      : sources_(sources), source_(source), outside_(outside) {
    const auto text = outside.files->read(beside(sources.at(source), ".env", outside), kFileLimit);
    if (!text) {
      if (text.error().kind != Error::Kind::Absent)
        of_file_.push_back({kEnvNotRead, {{"what", text.error().words()}}});
      return;
    }
    auto lines = environment_lines(*text, -1, kMostEnvironmentLines + 1);
    if (lines.size() > kMostEnvironmentLines) {
      lines.resize(kMostEnvironmentLines);
      of_file_.push_back({kEnvTooLong, {{"most", kMostEnvironmentLines}}});
    }
    for (Setting& line : lines) variables_[line.name] = std::move(line.value);
  }

  Result<ReadCommands> read(const YamlNode& document, const YamlNode& services) {
    ReadCommands read{.name = sources_.at(source_).name};
    if (services.members.size() > kMostServices) {
      return fail(Error::Kind::TooLarge, in_both({kTooManyServices, {{"most", kMostServices}}}));
    }
    if (&document != &services && document.find("include") != nullptr)
      of_file_.emplace_back(kInclude);
    for (const YamlMember& member : services.members) {
      if (member.value.kind != YamlNode::Kind::Map) continue;
      of_service_ = of_file_;
      take_service(member.key, extended(member.key, member.value, services, source_, 0), read);
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

  Result<int> source_of(int from, std::string_view path) {
    const std::string at = beside(sources_.at(from), path, outside_);
    for (std::size_t i = 0; i < sources_.all().size(); ++i) {
      const Source& known = sources_.all()[i];
      if (known.kind == SourceKind::File && known.uri == at) return static_cast<int>(i);
    }
    if (++files_ > kMostFiles)
      return fail(Error::Kind::TooLarge, in_both({kManyFiles, {{"most", kMostFiles}}}));
    SX_TRY(auto text, outside_.files->read(at, kFileLimit));
    return sources_.add(
        {.kind = SourceKind::File, .name = std::string(path), .uri = at, .text = std::move(text)});
  }

  // The service as it stands, and what was not taken over.
  YamlNode unextended(const std::string& name, const YamlNode& service, const Both& why) {
    of_service_.push_back({kExtendsNotRead, {{"name", name}, {"what", why}}});
    return service;
  }

  YamlNode extended(const std::string& name, const YamlNode& service, const YamlNode& services,
                    int source, int depth) {
    const YamlNode* extends = service.find("extends");
    if (extends == nullptr) return service;
    if (depth >= kDeepestExtends)
      return unextended(name, service, in_both({kDeep, {{"most", kDeepestExtends}}}));
    const YamlNode* named =
        extends->kind == YamlNode::Kind::Map ? extends->find("service") : extends;
    const YamlNode* file = extends->kind == YamlNode::Kind::Map ? extends->find("file") : nullptr;
    if (named == nullptr) return service;
    const std::string other = compose().text(named).text();
    if (file == nullptr) return on_base(name, service, services, other, source, depth);
    const std::string path = compose().text(file).text();
    const auto read = source_of(source, path);
    if (!read) return unextended(name, service, read.error().words());
    const auto documents = parse_yaml(sources_, *read);
    const YamlNode* others =
        !documents || documents->empty() ? nullptr : documents->front().find("services");
    if (others == nullptr) return unextended(name, service, in_both({kNoYaml, {{"file", path}}}));
    return on_base(name, service, *others, other, *read, depth);
  }

  YamlNode on_base(const std::string& name, const YamlNode& service, const YamlNode& services,
                   const std::string& other, int source, int depth) {
    const YamlNode* base = services.find(other);
    if (base == nullptr) {
      return unextended(
          name, service,
          in_both({kNoSuchService, {{"name", other}, {"file", sources_.at(source).name}}}));
    }
    return merged(extended(name, *base, services, source, depth + 1), service);
  }

  // In front of the service's own environment, which goes before it.
  void take_env_files(const YamlNode& service, Container& container) {
    const YamlNode* node = service.find("env_file");
    if (node == nullptr) return;
    std::vector<Setting> all;
    EnvironmentFiles files(sources_, outside_, container.around);
    const auto take = [&](const YamlNode* path, MayBeAbsent absent) {
      const PlacedText text = compose().text(path);
      if (text.source() < 0 || !text.complete()) return;
      files.add(text.text(), beside(sources_.at(text.source()), text.text(), outside_), all,
                absent);
    };
    if (node->kind == YamlNode::Kind::Scalar) take(node, MayBeAbsent::No);
    for (const YamlNode& item : node->items) {
      if (item.kind != YamlNode::Kind::Map) {
        take(&item, MayBeAbsent::No);
        continue;
      }
      const bool required = truth_fact(compose().text(item, "required")).value_or(true);
      take(item.find("path"), required ? MayBeAbsent::No : MayBeAbsent::Yes);
    }
    container.environment.insert(container.environment.begin(), all.begin(), all.end());
  }

  void tell_profiles(const std::string& name, const YamlNode& service, Surroundings& around) {
    const YamlNode* profiles = service.find("profiles");
    if (profiles == nullptr || profiles->items.empty()) return;
    std::vector<std::string> names;
    for (const YamlNode& item : profiles->items) {
      if (names.size() < kMostShown) names.push_back(compose().text(&item).text());
    }
    around.remarks.push_back({kProfile, {{"name", name}, {"profiles", join(names, ", ")}}});
  }

  void take_service(const std::string& name, const YamlNode& service, ReadCommands& read) {
    Container container = compose_container(compose(), name, service);
    container.around.remarks.insert(container.around.remarks.end(), of_service_.begin(),
                                    of_service_.end());
    tell_profiles(name, service, container.around);
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
  std::vector<Message> of_file_, of_service_;  // remarks
};

}  // namespace

Result<ReadCommands> read_compose(Sources& sources, int source, const YamlNode& document,
                                  const YamlNode& services, const Outside& outside) {
  return ComposeReader(sources, source, outside).read(document, services);
}

}  // namespace sx
