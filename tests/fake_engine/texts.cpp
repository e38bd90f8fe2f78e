// Reading the texts and filling them in.
#include "fake_engine/texts.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace fake {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kBegan = Clock::now();

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "fake_engine: there is no %s\n", path.c_str());
    std::_Exit(64);
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string now_as(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Minutes, seconds, milliseconds and microseconds since the program began, as llama.cpp counts.
std::string up_time() {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - kBegan).count();
  std::array<char, 64> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%lld.%02lld.%03lld.%03lld",
      static_cast<long long>(micros / 60'000'000), static_cast<long long>(micros / 1'000'000 % 60),
      static_cast<long long>(micros / 1000 % 1000), static_cast<long long>(micros % 1000));
  return {text.data(), static_cast<std::size_t>(size)};
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

Texts::Texts(Asked asked) : asked_(std::move(asked)) {
  for (std::string& line :
       lines_of(std::string(FAKE_ENGINE_TEXTS "/stages/") + word(asked_.as) + ".log")) {
    if (line.rfind("== ", 0) == 0) {
      stages_.push_back({line.substr(3), {}});
    } else if (!stages_.empty()) {
      stages_.back().second.push_back(std::move(line));
    }
  }
}

std::string Texts::filled(std::string line) const {
  if (line.find('{') == std::string::npos) return line;
  replace_all(line, "{pid}", std::to_string(::getpid()));
  replace_all(line, "{day}", now_as("%m-%d %H:%M:%S"));
  replace_all(line, "{date}", now_as("%Y-%m-%d %H:%M:%S"));
  replace_all(line, "{up}", up_time());
  replace_all(line, "{model}", asked_.model);
  replace_all(line, "{name}", asked_.name);
  replace_all(line, "{host}", asked_.host);
  replace_all(line, "{port}", std::to_string(asked_.port));
  return line;
}

void Texts::say(const std::string& line) const {
  std::string text = filled(line) + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (count <= 0) return;
    at += static_cast<std::size_t>(count);
  }
}

void Texts::say_words(const std::string& name) const {
  if (name.empty()) return;
  const bool path = name.find('/') != std::string::npos;
  const std::string file =
      path ? name
           : std::string(FAKE_ENGINE_TEXTS "/words/") + word(asked_.as) + '/' + name + ".log";
  for (const std::string& line : lines_of(file)) say(line);
}

void Texts::say_stage(const std::string& name) const {
  for (const auto& [stage, lines] : stages_) {
    if (stage != name) continue;
    for (const std::string& line : lines) say(line);
  }
}

}  // namespace fake
