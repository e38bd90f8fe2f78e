// The rows of the common table first, then those of each engine.
#include "knowledge/signatures.h"

#include <array>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

SignatureKind kind_cell(std::string_view cell) {
  if (cell == "symptom") return SignatureKind::Symptom;
  if (cell == "request") return SignatureKind::Request;
  if (cell == "wrapper") return SignatureKind::Wrapper;
  if (cell == "noise") return SignatureKind::Noise;
  if (cell == "stage") return SignatureKind::Stage;
  if (cell == "mark") return SignatureKind::Mark;
  if (cell == "quote") return SignatureKind::Quote;
  return SignatureKind::Root;
}

std::optional<Certainty> certainty_cell(std::string_view cell) {
  if (cell == "certain") return Certainty::Certain;
  if (cell == "likely") return Certainty::Likely;
  if (cell == "possible") return Certainty::Possible;
  return {};
}

void read_rows(std::string_view bytes, std::vector<SignatureRow>& all) {
  const Table table(bytes);
  const RowReader<13> reader(
      table, {"id", "engine", "kind", "cause", "certainty", "rank", "literals", "pattern", "since",
              "until", "example", "source", "checked"});
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto cells = reader.row(i);
    SignatureRow row{.id = cells[0],
                     .engine = known_cell(cells[1]),
                     .kind = kind_cell(cells[2]),
                     .cause = known_cell(cells[3]),
                     .certainty = certainty_cell(cells[4]).value_or(Certainty::Likely),
                     .rank = static_cast<int>(integer_cell(cells[5]).value_or(10)),
                     .literals = {},
                     .pattern = cells[7],
                     .since = version_cell(cells[8]),
                     .until = version_cell(cells[9]),
                     .example = cells[10],
                     .source = cells[11]};
    for (const auto literal : split(cells[6], '|')) {
      if (!literal.empty()) row.literals.push_back(literal);
    }
    all.push_back(std::move(row));
  }
}

std::vector<SignatureRow> read_signatures() {
  constexpr std::array<std::string_view, 4> kTables{
      "data/causes/signatures.tsv", "data/engines/vllm/logs.tsv", "data/engines/sglang/logs.tsv",
      "data/engines/llamacpp/logs.tsv"};
  std::vector<SignatureRow> all;
  for (const std::string_view name : kTables) {
    if (const auto bytes = find_table(name)) read_rows(*bytes, all);
  }
  return all;
}

std::vector<RefinementRow> read_refinements() {
  const Table table(table_bytes("data/causes/refinements.tsv"));
  std::vector<RefinementRow> all;
  all.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    RefinementRow row{.from = table.cell(i, "from"),
                      .when = {},
                      .to = known_cell(table.cell(i, "to")),
                      .certainty = certainty_cell(table.cell(i, "certainty")),
                      .at = known_cell(table.cell(i, "at")),
                      .source = table.cell(i, "source")};
    for (const auto term : split(table.cell(i, "when"), ' ')) {
      if (!term.empty()) row.when.push_back(term);
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const SignatureRow> signatures() {
  static const std::vector<SignatureRow> all = read_signatures();
  return all;
}

std::span<const RefinementRow> refinements() {
  static const std::vector<RefinementRow> all = read_refinements();
  return all;
}

}  // namespace sx
