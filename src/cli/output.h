// The only way out: standard output and standard error, decided once a run. A closed pipe is not an
// error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "diag/render.h"
#include "sys/environment.h"

namespace sx {

enum class ColourChoice { Auto, Always, Never };

class Output {
 public:
  // Answers and troubles, all at once or in pieces. Writing after the reader has gone does nothing.
  void answer(std::string_view text);
  void trouble(std::string_view text);
  // Whether the answer could be written whole (a full disk is an error; a closed pipe is not).
  bool good() const { return refused_ == 0; }
  int refused() const { return refused_; }  // the errno of it; 0: it could

 private:
  int refused_ = 0;
  bool closed_ = false;
};

// Colour, width and language as flags, environment and terminal say, in this order. Width: COLUMNS,
// else the terminal's, else 140; between 40 and 200.
struct StyleAsk {
  ColourChoice colour = ColourChoice::Auto;
  std::optional<Language> language;
  bool all = false;
};
Style decide_style(const StyleAsk& ask, const Environment& environment);

// --lang, then SEXTANT_LANG, then LC_ALL, LC_MESSAGES, LANG: zh… is Chinese, everything else
// English, also a Chinese locale with other letters than UTF-8 (zh_CN.GBK).
Language decide_language(const std::optional<Language>& asked, const Environment& environment);

// "sextant: cannot read serve.sh: no such file", with a line end.
std::string trouble_line(std::string_view what, Language language);
std::string trouble_line(const Error& error, Language language);

}  // namespace sx
