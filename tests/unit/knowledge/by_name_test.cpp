// Names are found whatever their length and however many there are.
#include "knowledge/by_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knowledge/paired_name.h"

namespace sx {
namespace {

TEST(ByName, FindsEachOfManyAndNoOther) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("--flag-" + std::to_string(i) + "-size");
  names.insert(names.end(), {"", "a", "b", "ab", "ba", "--tp", "--pp", "12345678", "12345679"});
  ByName<int> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.of(names[i]) = static_cast<int>(i);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int* found = all.find(names[i]);
    ASSERT_NE(found, nullptr) << names[i];
    EXPECT_EQ(*found, static_cast<int>(i)) << names[i];
  }
  EXPECT_EQ(all.all().size(), names.size());
  for (const char* absent : {"--flag-3000-size", "--flag-1-siz", "c", "1234567"})
    EXPECT_EQ(all.find(absent), nullptr) << absent;
}

// The same length, the same first and the same last eight letters: one hash.
TEST(ByName, TellsNamesOfOneHashApart) {
  const std::string one = "--enable-a-caching", other = "--enable-b-caching";
  ASSERT_EQ(hash_of_ends(one), hash_of_ends(other));
  ByName<int> all;
  all.of(one) = 1;
  EXPECT_EQ(all.find(other), nullptr);
  all.of(other) = 2;
  EXPECT_EQ(*all.find(one), 1);
  EXPECT_EQ(*all.find(other), 2);
  EXPECT_EQ(all.of(one), 1);
  EXPECT_EQ(all.all().size(), 2U);
}

TEST(PairedName, IsBothOrNothing) {
  EXPECT_EQ(PairedName("kv-bytes:", "fp8").view(), "kv-bytes:fp8");
  EXPECT_EQ(PairedName("a", "").view(), "a");
  EXPECT_EQ(PairedName("", "").view(), "");
  const std::string most(127, 'x');
  EXPECT_EQ(PairedName("a", most).view(), "a" + most);
  EXPECT_EQ(PairedName("ab", most).view(), "");  // longer than any name of a table
  EXPECT_EQ(PairedName(std::string(1000, 'x'), "").view(), "");
}

}  // namespace
}  // namespace sx
