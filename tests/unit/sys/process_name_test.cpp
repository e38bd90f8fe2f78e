// Names of processes: any bytes in, a word for a sentence out.
#include "sys/process_name.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/utf8.h"

namespace sx {
namespace {

TEST(ProcessName, LettersStayAndAllElseIsAQuestionMark) {
  EXPECT_EQ(shown_process_name("vllm serve"), "vllm serve");
  EXPECT_EQ(shown_process_name("模型服务"), "模型服务");
  EXPECT_EQ(shown_process_name("a\x1b[2J\x7f\n"), "a?[2J??");
  EXPECT_EQ(shown_process_name("\xff\xfe"), "??");
  EXPECT_EQ(shown_process_name("\xe2\x80\xae"
                               "abc"),
            "?abc")
      << "turns the direction of writing";
  EXPECT_EQ(shown_process_name(""), "");
}

// The kernel keeps 15 bytes, whatever letters they are of.
TEST(ProcessName, OneThatIsCutInALetterIsValidAllTheSame) {
  const std::string shown = shown_process_name(std::string("a模型服务网关").substr(0, 15));
  EXPECT_TRUE(is_valid_utf8(shown)) << shown;
  EXPECT_TRUE(shown.starts_with("a模型服务")) << shown;
}

TEST(ProcessName, ALongOneEnds) {
  EXPECT_EQ(shown_process_name(std::string(100'000, 'x')), std::string(64, 'x'));
  EXPECT_EQ(shown_process_name(std::string(100'000, '\xff')), std::string(64, '?'));
}

}  // namespace
}  // namespace sx
