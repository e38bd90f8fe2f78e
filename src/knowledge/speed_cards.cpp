// A few short tables, read once when a plan first asks for a speed.
#include "knowledge/speed_cards.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

struct CardRow {
  std::string_view name, architecture, capability;
  SpeedCard card;
};

const std::vector<CardRow>& card_rows() {
  static const std::vector<CardRow> rows = [] {
    const Table table(table_bytes("data/speed/cards.tsv"));
    const RowReader<7> reader(
        table, {"name", "architecture", "capability", "family", "basis", "nvlink", "peer"});
    std::vector<CardRow> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      all.push_back({.name = cells[0],
                     .architecture = cells[1],
                     .capability = cells[2],
                     .card = {.family = cells[3],
                              .basis = cells[4],
                              .nvlink = cells[5],
                              .peer = yes_or_no_cell(cells[6])}});
    }
    return all;
  }();
  return rows;
}

struct EngineRow {
  std::string_view engine;
  EngineSpeed speed;
};

const std::vector<EngineRow>& engine_rows() {
  static const std::vector<EngineRow> rows = [] {
    const Table table(table_bytes("data/speed/engines.tsv"));
    const RowReader<17> reader(
        table, {"engine", "decode_scale", "host_us", "layer_us", "linear_us", "alike", "skew",
                "hop_us", "mixed", "chunk", "own_reduce_mib", "eager_layer_us", "eager_reduce_us",
                "pipelines", "measured", "request_us", "first_us"});
    std::vector<EngineRow> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      const auto number = [&](std::size_t at) { return number_cell(cells[at]).value_or(0); };
      all.push_back({.engine = cells[0],
                     .speed = {.decode_scale = number(1),
                               .host_us = number(2),
                               .first_us = number(16),
                               .request_us = number(15),
                               .layer_us = number(3),
                               .linear_us = number(4),
                               .alike = number(5),
                               .skew = number(6),
                               .hop_us = number(7),
                               .mixed = yes_or_no_cell(cells[8]).value_or(true),
                               .chunk = static_cast<int>(number(9)),
                               .own_reduce_mib = number(10),
                               .eager_layer_us = number(11),
                               .eager_reduce_us = number(12),
                               .pipelines = yes_or_no_cell(cells[13]).value_or(true),
                               .measured = yes_or_no_cell(cells[14]).value_or(false)}});
    }
    return all;
  }();
  return rows;
}

struct BandRow {
  std::string_view basis;
  SpeedBand band;
};

const std::vector<BandRow>& band_rows() {
  static const std::vector<BandRow> rows = [] {
    const Table table(table_bytes("data/speed/bands.tsv"));
    const RowReader<5> reader(table, {"basis", "low", "high", "first_low", "first_high"});
    std::vector<BandRow> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      const auto factor = [&](std::size_t at) { return number_cell(cells[at]).value_or(1); };
      all.push_back({.basis = cells[0],
                     .band = {.low = factor(1),
                              .high = factor(2),
                              .first_low = factor(3),
                              .first_high = factor(4)}});
    }
    return all;
  }();
  return rows;
}

}  // namespace

std::optional<SpeedCard> speed_card(const GpuKind& kind) {
  for (const CardRow& row : card_rows()) {
    if (row.name == kind.name) return row.card;
  }
  // "NVIDIA GeForce*" of one generation stands before "*", the generation's own row.
  for (const CardRow& row : card_rows()) {
    if (!row.name.ends_with('*') || row.architecture != kind.architecture) continue;
    if (!kind.name.starts_with(row.name.substr(0, row.name.size() - 1))) continue;
    if (row.capability.empty()) return row.card;
    if (kind.capability && kind.capability->text() == row.capability) return row.card;
  }
  return {};
}

std::optional<EngineSpeed> engine_speed(std::string_view engine) {
  const auto found = std::ranges::find(engine_rows(), engine, &EngineRow::engine);
  if (found == engine_rows().end()) return {};
  return found->speed;
}

SpeedBand speed_band(std::string_view basis) {
  const auto found = std::ranges::find(band_rows(), basis, &BandRow::basis);
  SX_ASSERT(found != band_rows().end());
  return found->band;
}

}  // namespace sx
