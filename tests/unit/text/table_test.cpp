// Aligned columns, and colour that is off unless asked for.
#include "text/table.h"

#include <gtest/gtest.h>

#include "text/paint.h"

namespace sx {
namespace {

TEST(Table, AlignsByCells) {
  EXPECT_EQ(
      table({{"layout", "KV tokens", "why"}, {"TP2 x PP3", "220 864", "最好"}, {"单卡", "8", ""}},
            {Align::Left, Align::Right, Align::Left}, 2),
      "  layout     KV tokens  why\n"
      "  TP2 x PP3    220 864  最好\n"
      "  单卡               8\n");
}

TEST(Table, TakesRowsOfUnequalLength) {
  EXPECT_EQ(table({{"a"}, {"b", "c"}, {}}, {}), "a\nb  c\n\n");
  EXPECT_EQ(table({}, {}), "");
}

TEST(Table, FoldsWhatWouldStandBeyondTheWidth) {
  const std::vector<std::vector<std::string>> rows{{"", "layout", "GPUs", "rate", "note"},
                                                   {"*", "TP2", "2", "17", ""},
                                                   {"", "单卡", "1", "9", "空闲"}};
  const std::vector<Align> align{Align::Left, Align::Left, Align::Right, Align::Right, Align::Left};
  EXPECT_EQ(table_within(rows, align, 2, 29), table(rows, align, 2));
  EXPECT_EQ(table_within(rows, align, 2, 28),
            "     layout  GPUs  rate\n"
            "     note\n"
            "  *  TP2        2    17\n"
            "     单卡       1     9\n"
            "     空闲\n");
  EXPECT_EQ(table_within(rows, align, 2, 20),
            "     layout  GPUs\n"
            "     rate  note\n"
            "  *  TP2        2\n"
            "       17\n"
            "     单卡       1\n"
            "        9  空闲\n");
  // Every column alone is too wide.
  EXPECT_EQ(table_within({{"abc", "defg"}}, {}, 0, 1), "abc\n     defg\n");
  EXPECT_EQ(table_within({}, {}, 2, 10), "");
}

TEST(Painter, PaintsOnlyWhenAsked) {
  EXPECT_EQ(Painter(false)(Paint::Error, "x"), "x");
  EXPECT_EQ(Painter(true)(Paint::Error, "x"), "\x1b[1;31mx\x1b[0m");
  EXPECT_EQ(Painter(true)(Paint::Plain, "x"), "x");
  EXPECT_EQ(Painter(true)(Paint::Error, ""), "");
}

}  // namespace
}  // namespace sx
