// Tables: how bytes become cells, and what every table of data/ must keep to.
#include "knowledge/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "knowledge/embedded.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

TEST(Table, SplitsCellsAndFindsColumns) {
  const Table table("name\tvalue\na\t1\nb\t\n");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("value"), 1);
  EXPECT_EQ(table.column("absent"), std::nullopt);
  EXPECT_EQ(table.cell(0, "name"), "a");
  EXPECT_EQ(table.cell(0, 1), "1");
  EXPECT_EQ(table.cell(1, "value"), "");
}

TEST(Table, TakesWindowsLineEndsAMissingLastOneAndBlankLines) {
  const Table table("name\tvalue\r\na\t1\r\n\r\nb\t2");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, "value"), "1");
  EXPECT_EQ(table.cell(1, "value"), "2");
}

TEST(Table, CellsOutsideAreEmpty) {
  const Table table("name\tvalue\na\nb\t2\t3\n");
  EXPECT_EQ(table.cell(0, "value"), "");   // short row
  EXPECT_EQ(table.cell(1, "value"), "2");  // long row
  EXPECT_EQ(table.cell(7, "name"), "");
  EXPECT_EQ(table.cell(0, -1), "");
  EXPECT_EQ(table.cell(0, 99), "");
}

TEST(Table, AnEmptyTextHasNoRows) {
  EXPECT_EQ(Table("").rows(), 0U);
  EXPECT_EQ(Table("\n\n").rows(), 0U);
  EXPECT_EQ(Table("only\theader").rows(), 0U);
}

TEST(Cells, UnknownAndNoneAreDifferent) {
  for (const char* cell : {"", "null", "?"}) EXPECT_TRUE(is_unknown(cell)) << cell;
  for (const char* cell : {"-", "none"}) EXPECT_TRUE(is_none(cell) && !is_unknown(cell)) << cell;
  EXPECT_FALSE(is_none("0") || is_unknown("0"));
}

TEST(Cells, NumbersOnlyWhenTheWholeCellIsOne) {
  EXPECT_EQ(integer_cell("131072"), 131072);
  EXPECT_EQ(number_cell("0.5"), 0.5);
  for (const char* cell : {"", "null", "-", "none", "12 GB", "1e400", "nan", "inf", "0x10"}) {
    EXPECT_EQ(integer_cell(cell), std::nullopt) << cell;
    EXPECT_EQ(number_cell(cell), std::nullopt) << cell;
  }
}

TEST(Replacement, GoesBeforeTheEmbeddedFileAndMayAddOne) {
  replace_tables({{"links.tsv", "name\tscore\n"}, {"engines/new/flags.tsv", "name\n--x\n"}});
  EXPECT_EQ(table_bytes("data/links.tsv"), "name\tscore\n");
  EXPECT_EQ(find_table("data/engines/new/flags.tsv"), "name\n--x\n");
  replace_tables({});
  EXPECT_NE(table_bytes("data/links.tsv"), "name\tscore\n");
  EXPECT_EQ(find_table("data/engines/new/flags.tsv"), std::nullopt);
}

TEST(Tables, ANameThatIsNotThereIsOurBug) {
  EXPECT_EQ(find_table("data/absent.tsv"), std::nullopt);
  EXPECT_DEATH(table_bytes("data/absent.tsv"), "bug at");
}

std::size_t count_rows(std::string_view, const Table& table) { return table.rows(); }

TEST(EngineTable, IsNullForAnEngineWithoutThatTable) {
  const auto rows_of = [](std::string_view engine) {
    return engine_table<count_rows>(engine, "versions.tsv");
  };
  ASSERT_NE(rows_of("vllm"), nullptr);
  EXPECT_GT(*rows_of("vllm"), 10U);
  EXPECT_EQ(rows_of("vllm"), rows_of("vllm"));
  EXPECT_EQ(rows_of("nobody"), nullptr);
  EXPECT_EQ(rows_of(""), nullptr);
}

// ---- every embedded table

std::vector<Embedded> tables() {
  std::vector<Embedded> found;
  for (const auto& file : embedded_files()) {
    if (file.name.starts_with("data/") && file.name.ends_with(".tsv")) found.push_back(file);
  }
  return found;
}

TEST(Data, HasTheTablesThatCodeAsksFor) {
  for (const char* name :
       {"data/constants.tsv", "data/gpus.tsv", "data/gpu_aliases.tsv", "data/models.tsv",
        "data/model_aliases.tsv", "data/model_classes.tsv", "data/links.tsv", "data/xids.tsv",
        "data/engines/vllm/flags.tsv", "data/engines/vllm/versions.tsv",
        "data/engines/vllm/env.tsv", "data/engines/vllm/architectures.tsv",
        "data/engines/vllm/defaults.tsv", "data/engines/vllm/memory.tsv"}) {
    EXPECT_TRUE(find_table(name).has_value()) << name;
  }
}

TEST(Data, EveryRowSaysWhoSaysSoAndWhenThatWasChecked) {
  for (const auto& file : tables()) {
    const Table table(file.bytes);
    ASSERT_TRUE(table.column("source") && table.column("checked")) << file.name;
    EXPECT_GT(table.rows(), 0U) << file.name;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto checked = table.cell(row, "checked");
      EXPECT_FALSE(is_unknown(table.cell(row, "source"))) << file.name << " row " << row;
      EXPECT_TRUE(checked.size() == 7 && checked.starts_with("20") && checked[4] == '-')
          << file.name << " " << row;
    }
  }
}

TEST(Data, RowsAreAsWideAsTheirHeader) {
  for (const auto& file : tables()) {
    std::string_view rest = file.bytes;
    const auto width = std::ranges::count(rest.substr(0, rest.find('\n')), '\t');
    ASSERT_TRUE(rest.ends_with('\n')) << file.name;
    for (int line = 1; !rest.empty(); ++line) {
      const auto end = rest.find('\n');
      EXPECT_EQ(std::ranges::count(rest.substr(0, end), '\t'), width) << file.name << ":" << line;
      rest.remove_prefix(end + 1);
    }
  }
}

// The columns that name a row, where it is not the first one alone.
std::vector<std::string_view> key_of(std::string_view file, const Table& table) {
  if (file.ends_with("/parsers.tsv")) return {"kind", "engine", "flag", "name", "format", "since"};
  if (file.ends_with("/other_flags.tsv") || file.ends_with("/file_flags.tsv"))
    return {"engine", "flag"};
  if (file.ends_with("/docker_options.tsv")) return {"verb", "name", "program"};
  if (file.ends_with("/download_caches.tsv")) return {"cache", "variable"};
  if (file.ends_with("/rule_coverage.tsv")) return {"engine", "id"};
  if (file.ends_with("/causes/refinements.tsv")) return {"from", "when"};
  if (file.ends_with("/causes/causes.tsv")) return {"name"};  // some have the code of a rule
  if (file.ends_with("/speed/cards.tsv")) return {"name", "architecture", "capability"};
  if (file.ends_with("/speed/collectives.tsv")) return {"link", "path", "ranks"};
  if (file.ends_with("/speed/gemm.tsv")) return {"family", "format"};
  if (file.ends_with("/speed/attention.tsv")) return {"family", "kv"};
  if (file.ends_with("/causes/phases.tsv")) return {"phase", "engine"};
  if (file.ends_with("/speed/experts.tsv")) return {"format", "family"};
  std::vector<std::string_view> key{table.header()[0]};
  // A kind, a type or a version has several names, fields, choices or bounds.
  for (const std::string_view second : {"name", "field", "choice", "ranks", "below_mib"}) {
    if (table.header()[1] == second) key.push_back(second);
  }
  if (table.column("since")) key.push_back("since");
  return key;
}

TEST(Data, NamesAreUnique) {
  for (const auto& file : tables()) {
    if (file.name.ends_with("/command_line.tsv"))
      continue;  // there a name is a habit that several flags have
    const Table table(file.bytes);
    const auto key = key_of(file.name, table);
    std::set<std::vector<std::string_view>> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const bool named = !table.cell(row, key.front()).empty() || key.front() == "since";
      EXPECT_TRUE(named) << file.name << " row " << row;
      std::vector<std::string_view> cells;
      for (const auto column : key) cells.push_back(table.cell(row, column));
      EXPECT_TRUE(seen.insert(cells).second) << file.name << ": " << table.line(row);
    }
  }
}

}  // namespace
}  // namespace sx
