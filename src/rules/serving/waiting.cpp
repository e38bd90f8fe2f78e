// Lines are looked at one by one; anything that is not plainly a fixed wait ends the reading.
#include "rules/serving/waiting.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/strings.h"
#include "read/amounts.h"

namespace sx::rules {
namespace {

constexpr int kMostLines = 400;  // behind that a script is about something else

bool begins(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ');
}

// "for i in {1..30}; do", "for i in $(seq 1 30)", "for i in `seq 30`".
std::optional<double> rounds(std::string_view line) {
  std::string_view number;
  if (const auto range = line.find("{1.."); range != std::string_view::npos) {
    number = line.substr(range + 4);
  } else if (const auto seq = line.find("seq "); seq != std::string_view::npos) {
    number = line.substr(seq + 4);
    if (number.starts_with("1 ")) number.remove_prefix(2);
  }
  int count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (error != std::errc{} || count < 1 || end == number.data()) return {};
  if (end != number.data() + number.size() && !std::string_view("})` ;").contains(*end)) return {};
  return count;
}

std::optional<double> sleep_in(std::string_view line) {
  for (std::size_t at = line.find("sleep "); at != std::string_view::npos;
       at = line.find("sleep ", at + 1)) {
    if (at > 0 && line[at - 1] != ' ' && line[at - 1] != ';') continue;
    std::string_view rest = trimmed(line.substr(at + 6));
    return shell_duration_s(rest.substr(0, rest.find_first_of(" ;&|")));
  }
  return {};
}

bool asks(std::string_view line, int port) {
  const bool client = line.contains("curl ") || line.contains("wget ");
  const bool here =
      line.contains("localhost") || line.contains("127.0.0.1") || line.contains("0.0.0.0");
  return client && here && line.contains(':' + std::to_string(port));
}

class Reading {
 public:
  explicit Reading(int port) : port_(port) {}

  enum class Step { On, Asked, GivenUp };

  Step line(std::string_view text) {
    if (text.empty() || text.starts_with('#')) return Step::On;
    static constexpr std::array<std::string_view, 7> kEnds{"wait", "exit", "fg",  "else",
                                                           "fi",   "}",    "tail"};
    for (const auto word : kEnds) {
      if (!inside_ && begins(text, word)) return Step::GivenUp;
    }
    // How often these go round is not written.
    if (begins(text, "while") || begins(text, "until") || text.contains("--retry"))
      return Step::GivenUp;
    if (begins(text, "for")) return loop(text);
    const bool sleeps = text.contains("sleep ");
    const auto slept = sleeps ? sleep_in(text) : std::nullopt;
    if (sleeps && !slept) return Step::GivenUp;
    const bool asked = asks(text, port_);
    if (inside_) return in_loop(text, slept.value_or(0), asked);
    seconds_ += slept.value_or(0);
    return asked ? Step::Asked : Step::On;
  }

  double seconds() const { return seconds_; }
  // Of a loop: what asks stands above its end.
  std::string_view asked_in_loop() const { return asked_in_loop_; }

 private:
  Step loop(std::string_view text) {
    const auto count = rounds(text);
    if (!count || inside_) return Step::GivenUp;
    inside_ = true;
    rounds_ = *count;
    const auto body = text.find("do ");
    return body == std::string_view::npos ? Step::On : line(trimmed(text.substr(body + 3)));
  }

  // Asking in every round is waiting as well: the last round counts.
  Step in_loop(std::string_view text, double slept, bool asked) {
    round_seconds_ += slept;
    if (asked && asked_in_loop_.empty()) asked_in_loop_ = text;
    if (!begins(text, "done") && !text.contains("; done")) return Step::On;
    inside_ = false;
    seconds_ += rounds_ * round_seconds_;
    round_seconds_ = 0;
    return asked_in_loop_.empty() ? Step::On : Step::Asked;
  }

  int port_;
  bool inside_ = false;
  std::string_view asked_in_loop_;
  double rounds_ = 0, round_seconds_ = 0, seconds_ = 0;
};

}  // namespace

std::optional<double> time_limit(const std::vector<std::string>& before) {
  const auto timeout = std::ranges::find_if(before, [](const std::string& word) {
    return word == "timeout" || word.ends_with("/timeout");
  });
  if (timeout == before.end()) return {};
  for (auto word = timeout + 1; word != before.end(); ++word) {
    if (*word == "-s" || *word == "--signal" || *word == "-k" || *word == "--kill-after") {
      if (++word == before.end()) return {};
      continue;
    }
    if (word->starts_with('-')) continue;
    const auto seconds = shell_duration_s(*word);
    return seconds && *seconds > 0 ? seconds : std::nullopt;  // 0 is no limit
  }
  return {};
}

std::optional<FirstQuestion> first_question(const Sources& sources, const Command& launch,
                                            int port) {
  const std::string& text = sources.at(launch.source).text;
  if (launch.source != launch.span.source) return {};
  std::size_t at = text.find('\n', std::min(launch.span.end, text.size()));
  Reading reading(port);
  for (int i = 0; i < kMostLines && at != std::string::npos && at + 1 < text.size(); ++i) {
    const std::size_t begin = at + 1;
    at = text.find('\n', begin);
    const std::size_t end = at == std::string::npos ? text.size() : at;
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    switch (reading.line(line)) {
      case Reading::Step::On:
        break;
      case Reading::Step::GivenUp:
        return {};
      case Reading::Step::Asked: {
        const bool again = !reading.asked_in_loop().empty();
        const std::string_view asking = again ? reading.asked_in_loop() : line;
        const auto first = static_cast<std::size_t>(asking.data() - text.data());
        return FirstQuestion{
            reading.seconds(), {launch.source, first, first + asking.size()}, again};
      }
    }
  }
  return {};
}

}  // namespace sx::rules
