// The lines that edits change, as people compare them.
#include "diag/changed_lines.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

std::string diff(const std::string& text, std::vector<Edit> edits) {
  Sources sources;
  sources.add({.name = "compose.yaml", .text = text});
  return as_diff(changed_lines(edits, sources));
}

Edit at(std::size_t begin, std::size_t end, std::string text) {
  return {{0, begin, end}, std::move(text)};
}

TEST(ChangedLines, AWordInsideALine) {
  EXPECT_EQ(diff("a: 1\nb: 8\nc: 3\n", {at(8, 9, "4")}), "2 - b: 8\n2 + b: 4\n");
}

TEST(ChangedLines, TwoEditsOfOneLineAreOneChange) {
  EXPECT_EQ(diff("x\n-tp 8 -pp 1\n", {at(6, 7, "4"), at(12, 13, "2")}),
            "2 - -tp 8 -pp 1\n2 + -tp 4 -pp 2\n");
}

TEST(ChangedLines, ALinePutInMovesTheNumbersBelow) {
  EXPECT_EQ(diff("a\nb\nc\n", {at(1, 1, "\nnew"), at(4, 5, "d")}), "2 + new\n3 - c\n4 + d\n");
}

TEST(ChangedLines, ALineThatGoes) { EXPECT_EQ(diff("a\nb\nc\n", {at(1, 3, "")}), "2 - b\n"); }

TEST(ChangedLines, NumbersStandBelowOneAnother) {
  const std::string ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\nx";
  EXPECT_EQ(diff(ten, {at(16, 17, "n"), at(18, 19, "y")}), " 9 - 9\n 9 + n\n10 - x\n10 + y\n");
}

TEST(ChangedLines, LineEndsOfWindowsAreNotShown) {
  EXPECT_EQ(diff("a: 8\r\nb\r\n", {at(3, 4, "4")}), "1 - a: 8\n1 + a: 4\n");
}

TEST(ChangedLines, WhatCannotBeShownAsLinesIsEmpty) {
  EXPECT_EQ(diff("a\n", {}), "");
  EXPECT_EQ(diff("a\n", {at(5, 9, "b")}), "");                   // outside of the text
  EXPECT_EQ(diff("abc\n", {at(0, 2, "x"), at(1, 3, "y")}), "");  // one over the other
  EXPECT_EQ(diff(std::string(5000, 'a'), {at(0, 1, "b")}), "");  // no line for people
  EXPECT_EQ(diff("a\n", {{{7, 0, 1}, "b"}}), "");                // of no source
}

}  // namespace
}  // namespace sx
