// systemd's environment of a unit, and Podman's quadlets, which are units that describe a
// container.
#include "gather/unit_container.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "facts/container_values.h"
#include "gather/environment_file.h"
#include "gather/manifest.h"
#include "read/command_front.h"

namespace sx {
namespace {

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline;
}

// The settings of one Environment= line.
void take_line(const Sources& sources, const UnitText& unit, const UnitEntry& entry,
               std::vector<Setting>& environment) {
  const auto words = unit_words(with_specifiers(entry.value, unit.specifiers()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const PlacedWord& word = words[i];
    const auto length = assigned_name_length(word.text.text());
    if (!length) continue;
    Setting setting{.name = word.text.text().substr(0, *length),
                    .value = word.text.text().substr(*length + 1),
                    .span = word.span,
                    .literal = word.literal && word.text.complete(),
                    .complete = word.text.complete(),
                    .quoting = Quoting::Systemd};
    const std::string_view text = sources.at(word.span.source).text;
    if (words.size() == 1) {
      setting.whole = Span{word.span.source, line_begin(text, entry.key_span.begin), word.span.end};
    } else if (i + 1 < words.size()) {
      setting.blank = words[i + 1].blank;
    }
    environment.push_back(std::move(setting));
  }
}

std::vector<std::string> values_of(const UnitText& unit, std::string_view key) {
  std::vector<std::string> values;
  for (const UnitEntry* entry : unit.all("Container", key)) {
    const PlacedText text = with_specifiers(entry->value, unit.specifiers());
    if (text.complete()) values.push_back(text.text());
  }
  return values;
}

// AddDevice=nvidia.com/gpu=all, …gpu=0.
void take_devices(const UnitText& unit, Surroundings& around) {
  constexpr std::string_view kFront = "nvidia.com/gpu=";
  std::vector<std::string> devices;
  Span span;
  for (const UnitEntry* entry : unit.all("Container", "AddDevice")) {
    const std::string& said = entry->value.text();
    if (!said.starts_with(kFront)) continue;
    span = entry->value.span();
    const std::string device = said.substr(kFront.size());
    if (device == "all") around.all_gpus = Fact<bool>(true, Origin::Config, span);
    devices.push_back(device);
  }
  if (devices.empty() || around.all_gpus) return;
  around.gpu_count = Fact<int>(static_cast<int>(devices.size()), Origin::Config, span);
  around.gpu_devices = Fact<std::vector<std::string>>(std::move(devices), Origin::Config, span);
}

void take_quadlet_limits(const UnitText& unit, Surroundings& around) {
  const auto value = [&](std::string_view key) { return unit.value("Container", key); };
  around.shared_memory = default_shared_memory();
  if (unit.last("Container", "ShmSize") != nullptr)
    around.shared_memory = fact_of<Bytes>(value("ShmSize"), container_size);
  around.memory_limit = fact_of<Bytes>(value("Memory"), container_size);
  around.user = text_fact(value("User"));
  around.working_folder = text_fact(value("WorkingDir"));
  const auto is_host = [](const std::string& text) { return std::optional(text == "host"); };
  around.host_network = fact_of<bool>(value("Network"), is_host);
  for (const UnitEntry* entry : unit.all("Container", "PodmanArgs")) {
    const std::string& said = entry->value.text();
    if (said.contains("--ipc=host") || said.contains("--ipc host"))
      around.host_ipc = Fact<bool>(true, Origin::Config, entry->value.span());
  }
  for (const UnitEntry* entry : unit.all("Container", "Ulimit")) {
    const std::string& said = entry->value.text();
    if (said.starts_with("memlock=-1"))
      around.locked_memory = Fact<Bytes>(kUnlimited, Origin::Config, entry->value.span());
  }
  for (const std::string& said : values_of(unit, "PublishPort")) {
    for (PublishedPort& port : published_ports(said)) {
      port.span = unit.last("Container", "PublishPort") == nullptr
                      ? Span{}
                      : unit.last("Container", "PublishPort")->value.span();
      around.ports.push_back(std::move(port));
    }
  }
  for (const UnitEntry* entry : unit.all("Container", "Volume")) {
    auto mount = volume_mount(with_specifiers(entry->value, unit.specifiers()).text());
    if (!mount) continue;
    mount->span = entry->value.span();
    if (mount->inside != "/dev/shm") around.mounts.push_back(std::move(*mount));
  }
}

}  // namespace

void take_unit_environment(Sources& sources, const UnitText& unit, std::string_view section,
                           const Outside& outside, Container& container) {
  const std::string source_text = sources.at(container.source).text;
  for (const UnitEntry* entry : unit.all(section, "Environment")) {
    if (entry->value.empty()) {
      container.environment.clear();
      continue;
    }
    take_line(sources, unit, *entry, container.environment);
    container.environment_at = entry->value.span().end;
    container.new_setting = {
        .kind = NewSetting::Kind::Line, .lead = "\n", .quoting = Quoting::Systemd};
  }
  const UnitEntry* start = unit.last(section, section == "Container" ? "Image" : "ExecStart");
  if (container.environment_at == 0 && start != nullptr) {
    // In front of the first line that starts something.
    container.environment_at = line_begin(source_text, start->key_span.begin);
    container.new_setting = {
        .kind = NewSetting::Kind::Line, .lead = "\n", .quoting = Quoting::Systemd};
  }
  EnvironmentFiles files(sources, outside, container.around);
  for (const UnitEntry* entry : unit.all(section, "EnvironmentFile")) {
    const PlacedText text = with_specifiers(entry->value, unit.specifiers());
    std::string path = text.text();
    const MayBeAbsent absent = path.starts_with('-') ? MayBeAbsent::Yes : MayBeAbsent::No;
    if (absent == MayBeAbsent::Yes) path.erase(0, 1);
    if (path.empty() || !text.complete()) continue;
    files.add(path, beside(sources.at(container.source), path, outside), container.environment,
              absent);
  }
}

Container quadlet_container(Sources& sources, int source, const UnitText& unit,
                            const Outside& outside) {
  Container container;
  container.source = source;
  Surroundings& around = container.around;
  around.kind = Surroundings::Kind::Docker;
  const UnitEntry* name = unit.last("Container", "ContainerName");
  around.name = name == nullptr ? unit.name() : name->value.text();
  container.image = unit.value("Container", "Image");
  around.image = text_fact(container.image);
  around.image_tag = tag_of(container.image);
  around.name_span = name == nullptr ? container.image.span() : name->value.span();
  const auto words = [&](std::string_view key) {
    std::vector<PlacedWord> read = unit_words(unit.value("Container", key));
    for (PlacedWord& word : read) word.quoting = Quoting::Systemd;
    return read;
  };
  if (const UnitEntry* entrypoint = unit.last("Container", "Entrypoint")) {
    container.has_entrypoint = !entrypoint->value.empty();
    container.entrypoint = words("Entrypoint");
  }
  container.args = words("Exec");
  take_unit_environment(sources, unit, "Container", outside, container);
  take_devices(unit, around);
  take_quadlet_limits(unit, around);
  around.restart = text_fact(unit.value("Service", "Restart"));
  const auto seconds = [](const std::string& value) { return systemd_duration_s(value); };
  around.stop_timeout_s = fact_of<double>(unit.value("Container", "StopTimeout"), seconds);
  return container;
}

}  // namespace sx
