// Writing to the terminal or a pipe, and finding out what it can show.
#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kWidthWithoutTerminal =
    140;  // a file has no width; long enough that few labels wrap
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 200;  // longer lines are hard to read
constexpr std::size_t kLongestTrouble =
    4600;  // bytes; a path of the longest kind still stands in it whole
constexpr std::size_t kTroubleEnd =
    200;  // kept of the end of a longer one: the reason stands there

enum class Written { All, Closed, Failed };

Written write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EPIPE ? Written::Closed : Written::Failed;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return Written::All;
}

std::size_t terminal_width(const Environment& environment) {
  if (const auto columns = environment.get("COLUMNS")) {
    if (const auto width = to_integer(*columns); width && *width > 0) {
      return static_cast<std::size_t>(std::min<long long>(*width, kWidest));
    }
  }
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return size.ws_col;
  }
  return kWidthWithoutTerminal;
}

bool decide_colour(ColourChoice choice, const Environment& environment) {
  if (choice != ColourChoice::Auto) return choice == ColourChoice::Always;
  if (!environment.get("NO_COLOR").value_or("").empty()) return false;
  if (environment.get("TERM").value_or("") == "dumb") return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

// "zh_CN.GB18030": a terminal that does not read what we write. Without a name it is UTF-8 by now.
bool has_other_letters(std::string_view locale) {
  const std::size_t dot = locale.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string letters = lower(locale.substr(dot + 1, locale.find('@', dot) - dot - 1));
  return letters != "utf-8" && letters != "utf8";
}

}  // namespace

void Output::answer(std::string_view text) {
  if (closed_ || !good()) return;
  const Written written = write_all(STDOUT_FILENO, text);
  closed_ = written == Written::Closed;
  if (written == Written::Failed) refused_ = errno;
}

void Output::trouble(std::string_view text) { write_all(STDERR_FILENO, text); }

Language decide_language(const std::optional<Language>& asked, const Environment& environment) {
  if (asked) return *asked;
  for (const char* name : {"SEXTANT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const auto value = environment.get(name);
    if (!value || value->empty()) continue;
    const bool chinese = lower(*value).starts_with("zh") && !has_other_letters(*value);
    return chinese ? Language::Chinese : Language::English;
  }
  return Language::English;
}

Style decide_style(const StyleAsk& ask, const Environment& environment) {
  return {.language = decide_language(ask.language, environment),
          .colour = decide_colour(ask.colour, environment),
          .width = std::clamp(terminal_width(environment), kNarrowest, kWidest),
          .all = ask.all};
}

// What is quoted in it may be anything: a terminal reads it and does not obey it.
std::string trouble_line(std::string_view what, Language language) {
  std::string words(what);
  if (words.size() > kLongestTrouble) {
    words = words.substr(0, kLongestTrouble - kTroubleEnd) + " … " +
            words.substr(words.size() - kTroubleEnd);
  }
  return (language == Language::English ? "sextant: " : "sextant：") + printable(words) + '\n';
}

std::string trouble_line(const Error& error, Language language) {
  return trouble_line(language == Language::Chinese ? error.chinese : error.what, language);
}

}  // namespace sx
