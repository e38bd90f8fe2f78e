// One row an engine.
#include "knowledge/engine_life.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<EngineLife> read_lives() {
  const Table table(table_bytes("data/engine_life.tsv"));
  std::vector<EngineLife> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(i, column)); };
    EngineLife life{.engine = cell("engine"),
                    .health_path = cell("health_path"),
                    .loading_is_unavailable = cell("unavailable") == "loading",
                    .running = cell("running"),
                    .waiting = cell("waiting"),
                    .metrics_path = cell("metrics_path"),
                    .keeps_environ = cell("keeps_environ"),
                    .takes_visible_gpus = cell("takes_gpus") == "visible",
                    .program = cell("program"),
                    .install = cell("install")};
    if (const auto seconds = number_cell(cell("second_term_s")))
      life.second_request_after = std::chrono::seconds(static_cast<long>(*seconds));
    std::string_view names = cell("heartbeat");
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      life.heartbeat.push_back(names.substr(0, end));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    all.push_back(std::move(life));
  }
  return all;
}

}  // namespace

const EngineLife* engine_life(std::string_view engine) {
  static const std::vector<EngineLife> all = read_lives();
  const auto found = std::ranges::find(all, engine, &EngineLife::engine);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::chrono::seconds> second_request_after(std::string_view engine) {
  const EngineLife* life = engine_life(engine);
  return life == nullptr ? std::nullopt : life->second_request_after;
}

}  // namespace sx
