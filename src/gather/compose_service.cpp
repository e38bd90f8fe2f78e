// What it starts and with which environment; limits and names. GPUs, mounts, ports and health have
// files of their own.
#include "gather/compose_service.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/container_values.h"
#include "gather/manifest_values.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

// Compose reads YAML 1.2: yes and 1:30 are texts.
bool is_number_or_bool(const YamlNode& item) {
  if (item.kind != YamlNode::Kind::Scalar || item.quoted || item.text.contains(':')) return false;
  if (item.type == YamlNode::Type::Integer || item.type == YamlNode::Type::Number) return true;
  const std::string small = lower(item.text);
  return item.type == YamlNode::Type::Bool && (small == "true" || small == "false");
}

std::vector<PlacedWord> words_of(const ComposeText& compose, const YamlNode& node,
                                 std::string_view key, Surroundings& around) {
  if (node.kind == YamlNode::Kind::List) {
    for (const YamlNode& item : node.items) {
      if (!is_number_or_bool(item)) continue;
      around.faults.push_back(
          {ManifestFault::Kind::NotText, std::string(key), item.text, item.span});
    }
    std::vector<PlacedWord> words = list_words(compose.sources, node);
    for (PlacedWord& word : words) {
      const PlacedText text = compose_interpolated(word.text, compose.variables);
      word.literal = word.literal && text.text() == word.text.text() && text.complete();
      word.text = text;
    }
    return words;
  }
  if (node.kind != YamlNode::Kind::Scalar) return {};
  ComposeWords read = compose_words(compose.text(&node));
  const Command::Text inside = edits_inside(compose.sources, node);
  const bool plain = inside == Command::Text::Plain;
  for (PlacedWord& word : read.words) {
    word.literal = word.literal && inside != Command::Text::Derived;
    // Text inside its own quotes inside the scalar.
    word.inside = plain ? Command::Text::InsideQuotes : Command::Text::Derived;
  }
  return std::move(read.words);
}

// How the command as a whole may be edited: words of a scalar obey its quotes.
bool in_plain_scalar(const ComposeText& compose, const YamlNode* node) {
  return node != nullptr && node->kind == YamlNode::Kind::Scalar &&
         edits_inside(compose.sources, *node) != Command::Text::Plain;
}

Setting setting_of_map(const ComposeText& compose, const YamlMember& member) {
  const PlacedText value = compose.text(&member.value);
  const std::string_view text = compose.sources.at(member.value.span.source).text;
  const bool raw = compose.sources.text(member.value.span).find('$') == std::string_view::npos;
  // `NAME:` alone passes on what the caller's shell has.
  const bool passed_on = member.value.kind == YamlNode::Kind::Null;
  Setting setting{
      .name = member.key,
      .value = value.text(),
      .span = passed_on ? member.value.key_span : member.value.span,
      .literal = raw && !passed_on && style_of(compose.sources, member.value) != YamlStyle::Alias,
      .complete = value.complete() && !passed_on,
      .form = Setting::Form::ValueAlone,
      .quoting = Quoting::Yaml};
  const std::size_t key = member.value.key_span.begin;
  const std::size_t newline = text.rfind('\n', key);
  const bool own_line =
      newline != std::string_view::npos &&
      text.substr(newline, key - newline).find_first_not_of(" \n") == std::string_view::npos;
  if (own_line) {
    setting.whole = Span{setting.span.source, newline, end_of(compose.sources, setting.span)};
  } else {
    setting.literal = false;
  }
  return setting;
}

Setting setting_of_item(const ComposeText& compose, const YamlNode& item) {
  const PlacedText text = compose.text(&item);
  const bool raw = compose.sources.text(item.span).find('$') == std::string_view::npos;
  const std::size_t equals = text.text().find('=');
  const bool passed_on = equals == std::string::npos;
  Setting setting{
      .name = text.text().substr(0, equals),
      .value = passed_on ? std::string() : text.text().substr(equals + 1),
      .span = item.span,
      .literal = raw && !passed_on && style_of(compose.sources, item) != YamlStyle::Alias,
      .complete = text.complete() && !passed_on,
      .quoting = Quoting::Yaml};
  const std::string lead = lead_of(compose.sources, item.span, false);
  if (!lead.empty() && lead.size() <= item.span.begin) {
    setting.whole = Span{item.span.source, item.span.begin - lead.size(), item.span.end};
  } else {
    setting.literal = false;
  }
  return setting;
}

void take_environment(const ComposeText& compose, const YamlNode& service, Container& container) {
  const YamlNode* node = service.find("environment");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::Map) {
    for (const YamlMember& member : node->members)
      container.environment.push_back(setting_of_map(compose, member));
  }
  for (const YamlNode& item : node->items) {
    if (item.kind == YamlNode::Kind::Scalar)
      container.environment.push_back(setting_of_item(compose, item));
  }
  const bool list = node->kind == YamlNode::Kind::List;
  if (container.environment.empty() || node->span.source != container.source) return;
  const Setting& last = container.environment.back();
  const std::size_t begin = list ? last.span.begin : node->members.back().value.key_span.begin;
  const std::string lead = lead_of(compose.sources, {last.span.source, begin, begin}, false);
  if (lead.empty() || !last.whole) return;
  container.environment_at = end_of(compose.sources, last.span);
  container.new_setting = {.kind = list ? NewSetting::Kind::TextItem : NewSetting::Kind::Map,
                           .lead = lead,
                           .quoting = Quoting::Yaml};
}

const YamlNode* find_path(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  const YamlNode* at = &node;
  for (const auto key : keys) {
    if (at != nullptr) at = at->find(key);
  }
  return at;
}

constexpr Text kSharedWithOther{"/dev/shm is shared with another container",
                                "/dev/shm 与另一个容器共用"};

void take_limits(const ComposeText& compose, const YamlNode& service, Surroundings& around) {
  around.shared_memory = fact_of<Bytes>(compose.text(service, "shm_size"), container_size);
  if (service.find("shm_size") == nullptr) around.shared_memory = default_shared_memory();
  const PlacedText ipc = compose.text(service, "ipc");
  around.host_ipc =
      fact_of<bool>(ipc, [](const std::string& value) { return std::optional(value == "host"); });
  if (ipc.text().starts_with("container:") || ipc.text().starts_with("service:"))
    around.shared_memory = Fact<Bytes>::unknown(kSharedWithOther);
  const YamlNode* memory = service.find("mem_limit");
  if (memory == nullptr) memory = find_path(service, {"deploy", "resources", "limits", "memory"});
  around.memory_limit = fact_of<Bytes>(compose.text(memory), container_size);
  const YamlNode* cpus = service.find("cpus");
  if (cpus == nullptr) cpus = find_path(service, {"deploy", "resources", "limits", "cpus"});
  around.cpu_limit = fact_of<double>(compose.text(cpus), kubernetes_cpus);
  const auto ulimit = [&](std::string_view name) {
    const YamlNode* node = find_path(service, {"ulimits", name});
    if (node != nullptr && node->kind == YamlNode::Kind::Map) node = node->find("soft");
    return compose.text(node);
  };
  const auto locked = [](const std::string& value) -> std::optional<Bytes> {
    return value == "-1" ? std::optional(kUnlimited) : container_size(value);
  };
  around.locked_memory = fact_of<Bytes>(ulimit("memlock"), locked);
  around.open_files = count_fact(ulimit("nofile"));
}

void take_names(const ComposeText& compose, const YamlNode& service, Surroundings& around) {
  const PlacedText network = compose.text(service, "network_mode");
  around.host_network = fact_of<bool>(
      network, [](const std::string& value) { return std::optional(value == "host"); });
  around.privileged = truth_fact(compose.text(service, "privileged"));
  around.user = text_fact(compose.text(service, "user"));
  around.runtime = text_fact(compose.text(service, "runtime"));
  around.working_folder = text_fact(compose.text(service, "working_dir"));
  around.restart = text_fact(compose.text(service, "restart"));
  if (!around.restart) {
    around.restart =
        text_fact(compose.text(find_path(service, {"deploy", "restart_policy", "condition"})));
  }
  const YamlNode* replicas = find_path(service, {"deploy", "replicas"});
  if (replicas == nullptr) replicas = service.find("scale");
  around.replicas = count_fact(compose.text(replicas));
  around.stop_timeout_s =
      fact_of<double>(compose.text(service, "stop_grace_period"),
                      [](const std::string& value) { return container_duration_s(value); });
  if (service.find("stop_grace_period") == nullptr)
    around.stop_timeout_s = default_number("docker-stop-timeout");
}

}  // namespace

PlacedText ComposeText::text(const YamlNode* scalar) const {
  if (scalar == nullptr || scalar->kind != YamlNode::Kind::Scalar) return {};
  return compose_interpolated(placed_text(sources, *scalar), variables);
}

Container compose_container(const ComposeText& compose, const std::string& name,
                            const YamlNode& service) {
  Container container;
  Surroundings& around = container.around;
  around.kind = Surroundings::Kind::Compose;
  around.name = name;
  around.name_span = service.key_span;
  container.source = service.span.source;
  container.image = compose.text(service, "image");
  around.image = text_fact(container.image);
  around.image_tag = tag_of(container.image);
  const YamlNode* entrypoint = service.find("entrypoint");
  // `entrypoint: []` takes the image's away, `entrypoint:` says nothing.
  container.has_entrypoint = entrypoint != nullptr && entrypoint->kind != YamlNode::Kind::Null;
  if (entrypoint != nullptr)
    container.entrypoint = words_of(compose, *entrypoint, "entrypoint", around);
  if (const YamlNode* command = service.find("command")) {
    container.args = words_of(compose, *command, "command", around);
  }
  container.quoted =
      in_plain_scalar(compose, entrypoint) || in_plain_scalar(compose, service.find("command"));
  take_environment(compose, service, container);
  take_limits(compose, service, around);
  take_names(compose, service, around);
  take_compose_gpus(compose, service, container);
  take_compose_mounts(compose, service, around);
  take_compose_ports(compose, service, around);
  take_compose_health(compose, service, around);
  return container;
}

}  // namespace sx
