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

TEST(Painter, PaintsOnlyWhenAsked) {
  EXPECT_EQ(Painter(false)(Paint::Error, "x"), "x");
  EXPECT_EQ(Painter(true)(Paint::Error, "x"), "\x1b[1;31mx\x1b[0m");
  EXPECT_EQ(Painter(true)(Paint::Plain, "x"), "x");
  EXPECT_EQ(Painter(true)(Paint::Error, ""), "");
}

}  // namespace
}  // namespace sx
