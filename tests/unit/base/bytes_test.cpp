// Quantities that do not mix, results that carry their reason.
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {
namespace {

template <class A, class B>
concept adds = requires(A a, B b) { a + b; };
static_assert(adds<Bytes, Bytes> && !adds<Bytes, Tokens> && !adds<Bytes, int>);
static_assert(!std::is_convertible_v<int, Bytes>, "a bare number is a count");

TEST(Bytes, AddScaleAndDivide) {
  EXPECT_EQ(gib(1), mib(1024));
  EXPECT_EQ(mib(1), kib(1024));
  EXPECT_EQ(gib(2) - gib(3), -gib(1));
  EXPECT_EQ(3 * mib(2), mib(6));
  EXPECT_EQ(mib(6) / 3, mib(2));
  EXPECT_EQ(gib(1) / mib(1), 1024);  // how many times one goes into the other
  EXPECT_LT(mib(1023), gib(1));
  EXPECT_DOUBLE_EQ(in_gib(mib(512)), 0.5);
}

TEST(Bytes, APartIsRoundedToTheNearest) {
  EXPECT_EQ(fraction_of(Bytes{100}, 0.92), Bytes{92});
  EXPECT_EQ(fraction_of(Bytes{3}, 0.5), Bytes{2});
  EXPECT_EQ(fraction_of(gib(80), 1.0), gib(80));
  EXPECT_EQ(fraction_of(gib(80), 0), Bytes{0});
}

Result<int> half_of(int number) {
  if (number % 2 != 0)
    return fail(Error::Kind::Refused, "cannot halve " + std::to_string(number),
                "不能平分 " + std::to_string(number));
  return number / 2;
}

Result<int> quarter_of(int number) {
  SX_TRY(const int half, half_of(number));
  return half_of(half);
}

TEST(Result, PassesTheErrorOn) {
  EXPECT_EQ(quarter_of(8).value(), 2);
  EXPECT_EQ(quarter_of(5).error().what, "cannot halve 5");
  EXPECT_EQ(quarter_of(6).error().what, "cannot halve 3");
  EXPECT_EQ(quarter_of(6).error().kind, Error::Kind::Refused);
}

TEST(Result, SpeaksBothLanguages) {
  EXPECT_EQ(quarter_of(5).error().words().english, "cannot halve 5");
  EXPECT_EQ(quarter_of(5).error().words().chinese, "不能平分 5");
}

TEST(UniqueFd, ClosesOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  EXPECT_TRUE(read.open());
  UniqueFd moved = std::move(read);
  EXPECT_FALSE(read.open());  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(moved.get(), ends[0]);
  write.reset();
  char c = 0;
  EXPECT_EQ(::read(moved.get(), &c, 1), 0);  // the other end is closed
}

}  // namespace
}  // namespace sx
