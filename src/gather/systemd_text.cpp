// A systemd unit: what ExecStart= runs, with the environment and the limits of the unit. Drop-ins
// are not looked for.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "gather/container_command.h"
#include "gather/manifest.h"
#include "gather/unit_container.h"
#include "gather/unit_values.h"
#include "read/unit_words.h"

namespace sx {
namespace {

// Types for which systemd waits until the start is reported, and gives up after TimeoutStartSec.
bool waits_for_start(std::string_view type) {
  constexpr std::array<std::string_view, 4> kWaits{"notify", "notify-reload", "dbus", "forking"};
  return std::ranges::find(kWaits, type) != kWaits.end();
}

void take_times(const UnitText& unit, Surroundings& around) {
  const UnitEntry* type = unit.last("Service", "Type");
  around.workload = type == nullptr ? "simple" : type->value.text();
  const UnitEntry* start = unit.last("Service", "TimeoutStartSec");
  if (start == nullptr) start = unit.last("Service", "TimeoutSec");
  const auto seconds = [](const std::string& value) { return systemd_duration_s(value); };
  // `oneshot` has no limit unless one is set; for the others it begins once the program runs.
  if (start != nullptr && (waits_for_start(around.workload) || around.workload == "oneshot")) {
    around.start_timeout_s = fact_of<double>(start->value, seconds);
  } else if (waits_for_start(around.workload)) {
    const Fact<double> standard = default_number("systemd-start-timeout");
    if (standard)
      around.start_timeout_s = Fact<double>(standard.value(), Origin::Default, type->value.span());
  }
  // `infinity` and 0 are no limit.
  if (start != nullptr && (start->value.text() == "infinity" || start->value.text() == "0"))
    around.start_timeout_s = {};
  const UnitEntry* stop = unit.last("Service", "TimeoutStopSec");
  if (stop == nullptr) stop = unit.last("Service", "TimeoutSec");
  around.stop_timeout_s = stop == nullptr ? default_number("systemd-stop-timeout")
                                          : fact_of<double>(stop->value, seconds);
}

PlacedText first_part(const PlacedText& text, char end) {
  PlacedText out(text.source());
  for (std::size_t at = 0; at < text.size() && text.text()[at] != end; ++at) out.add(text, at);
  return out;
}

// Whether the unit's user may listen below 1024: root, or one that is given the right to.
Fact<bool> may_use_low_ports(const UnitText& unit, const Surroundings& around) {
  const UnitEntry* dynamic = unit.last("Service", "DynamicUser");
  const bool own_user = dynamic != nullptr && truth_fact(dynamic->value).value_or(false);
  if (!around.user.known() && !own_user) return {};
  const std::string user = around.user.value_or("");
  if (!own_user && (user == "root" || user == "0")) return {true, Origin::Config};
  const auto given = unit.all("Service", "AmbientCapabilities");
  // An empty line takes all back, `~` all but these: who writes so means something.
  const bool may = std::ranges::any_of(given, [](const UnitEntry* entry) {
    const std::string words = lower(entry->value.text());
    return words.contains("cap_net_bind_service") || words.starts_with('~') ||
           !entry->value.complete();
  });
  // Systemd opens the port itself and hands it over.
  const bool handed = !unit.all("Service", "Sockets").empty();
  return {may || handed, Origin::Config,
          own_user && !around.user.known() ? dynamic->value.span() : around.user.span()};
}

void take_limits(const UnitText& unit, Surroundings& around) {
  const auto value = [&](std::string_view key) { return unit.value("Service", key); };
  around.user = text_fact(value("User"));
  around.low_ports = may_use_low_ports(unit, around);
  around.restart = text_fact(value("Restart"));
  around.working_folder = text_fact(value("WorkingDirectory"));
  around.memory_limit = fact_of<Bytes>(value("MemoryMax"), systemd_size);
  // soft:hard, or one for both.
  around.locked_memory = fact_of<Bytes>(first_part(value("LimitMEMLOCK"), ':'), systemd_size);
  const PlacedText files = first_part(value("LimitNOFILE"), ':');
  around.open_files = files.text() == "infinity"
                          ? Fact<int>(1'073'741'816, Origin::Config, files.span())
                          : count_fact(files);
  around.cpu_limit = fact_of<double>(value("CPUQuota"), [](const std::string& text) {
    const auto percent =
        text.ends_with('%') ? to_number(text.substr(0, text.size() - 1)) : std::optional<double>();
    return percent ? std::optional(*percent / 100) : std::nullopt;
  });
}

// Later lines add; an empty one begins anew.
std::vector<const UnitEntry*> starts_of(const UnitText& unit) {
  std::vector<const UnitEntry*> starts;
  for (const UnitEntry* entry : unit.all("Service", "ExecStart")) {
    if (entry->value.empty()) {
      starts.clear();
    } else {
      starts.push_back(entry);
    }
  }
  return starts;
}

// A `docker run` in ExecStart= is read as such; its own options then say what is around.
void add(const Sources& sources, ContainerCommands found, const Surroundings& around,
         ReadCommands& read) {
  for (Command& command : found.commands) {
    auto placed = placed_commands(sources, std::move(command), read.notes);
    for (PlacedCommand& one : placed) {
      if (one.around.kind == Surroundings::Kind::Bare) one.around = around;
      read.commands.push_back(std::move(one));
    }
  }
  read.notes.insert(read.notes.end(), found.notes.begin(), found.notes.end());
}

}  // namespace

Result<ReadCommands> read_unit_text(Sources& sources, int source, const Outside& outside) {
  SX_TRY(const auto entries, parse_unit(sources, source));
  UnitText unit(entries, sources.at(source).name);
  ReadCommands read{.commands = {}, .notes = {}, .name = sources.at(source).name};
  const bool quadlet = std::ranges::any_of(
      entries, [](const UnitEntry& entry) { return entry.section == "Container"; });
  if (quadlet) {
    const Container container = quadlet_container(sources, source, unit, outside);
    add(sources, commands_of(sources, container), container.around, read);
    return read;
  }
  Container base;
  base.source = source;
  base.has_entrypoint = true;
  base.around.kind = Surroundings::Kind::Systemd;
  base.around.name = unit.name();
  take_times(unit, base.around);
  take_limits(unit, base.around);
  take_unit_environment(sources, unit, "Service", outside, base);
  for (const UnitEntry* entry : starts_of(unit)) {
    base.around.name_span = entry->key_span;
    const auto words = unit_words(with_specifiers(entry->value, unit.specifiers()));
    for (UnitCommand& command : unit_commands(words)) {
      Container container = base;
      if (command.with_all_rights) container.around.low_ports = {};
      container.entrypoint = command.keeps_variables
                                 ? std::move(command.words)
                                 : with_variables(command.words, base.environment);
      for (PlacedWord& word : container.entrypoint) word.quoting = Quoting::Systemd;
      add(sources, commands_of(sources, container), container.around, read);
    }
  }
  return read;
}

}  // namespace sx
