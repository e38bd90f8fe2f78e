// Which listeners keep each other from listening.
#include "rules/serving/listeners.h"

#include <gtest/gtest.h>

namespace sx::rules {
namespace {

struct Pair {
  Listener a;
  Listener b;
  bool in_the_way;
};

TEST(Listeners, AddressAndPort) {
  const Pair pairs[] = {
      {{"0.0.0.0", 8000}, {"127.0.0.1", 8000}, true},
      {{"0.0.0.0", 8000}, {"0.0.0.0", 8001}, false},
      {{"127.0.0.1", 8000}, {"10.0.0.5", 8000}, false},
      {{"127.0.0.1", 8000}, {"127.0.0.1", 8000}, true},
      {{"::", 8000}, {"10.0.0.5", 8000}, true},
      {{"0.0.0.0", 8000}, {"::", 8000}, true},
      {{"0.0.0.0", 8000}, {"::1", 8000}, false},
      {{"::1", 8000}, {"127.0.0.1", 8000}, false},
      {{"", 8000}, {"10.0.0.5", 8000}, true},
  };
  for (const auto& [a, b, expected] : pairs) {
    EXPECT_EQ(in_the_way(a, b), expected) << written(a) << ' ' << written(b);
    EXPECT_EQ(in_the_way(b, a), expected) << written(b) << ' ' << written(a);
  }
}

TEST(Listeners, AreWrittenAsInAnAddress) {
  EXPECT_EQ(written({"0.0.0.0", 8000}), "0.0.0.0:8000");
  EXPECT_EQ(written({"::1", 8000}), "[::1]:8000");
}

}  // namespace
}  // namespace sx::rules
