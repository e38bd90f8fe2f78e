// The real world, as the commands of the program see it.
#include "gather/outside.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "sys/system_words.h"

namespace sx {
namespace {

using namespace std::chrono_literals;

constexpr auto kDriverDeadline =
    10s;  // without persistence mode eight cards take seconds to wake; a hung driver must still end
constexpr std::size_t kStandardInputLimit = 64U << 20U;  // the longest text any reader takes

Result<std::string> read_standard_input() {
  std::string text;
  std::string buffer(1U << 16U, '\0');
  while (true) {
    const ssize_t length = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (length == 0) return text;
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) {
      const Both why = system_words(errno);
      return fail(Error::Kind::Refused, "cannot read standard input: " + why.english,
                  "无法读取标准输入：" + why.chinese);
    }
    text.append(buffer, 0, static_cast<std::size_t>(length));
    if (text.size() > kStandardInputLimit) {
      return fail(Error::Kind::TooLarge, "standard input is longer than 64 MiB",
                  "标准输入超过 64 MiB");
    }
  }
}

std::string current_folder() {
  std::error_code error;
  const auto folder = std::filesystem::current_path(error);
  return error ? std::string(".") : folder.string();
}

}  // namespace

Outside real_outside() {
  return {.files = &real_files(),
          .environment = Environment::of_process(),
          .folder = current_folder(),
          .nvml = [] { return ask_nvml(kNvmlLibrary, kDriverDeadline); },
          .wait = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
          .standard_input = read_standard_input};
}

}  // namespace sx
