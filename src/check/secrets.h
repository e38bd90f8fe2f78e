// Keys and tokens that stand in a launch, kept out of every answer: excerpts, commands, titles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/source.h"
#include "diag/outcome.h"
#include "facts/case.h"

namespace sx {

struct Secret {
  std::string name;  // "--api-key", "HF_TOKEN"
  std::string value;
  std::vector<Span> places;  // bytes of the value, as far as they stand in the user's text
};

// Values of the flags that take a secret, and of variables whose names say that they hold one. What
// the text only names ("$API_KEY") is none.
std::vector<Secret> secrets_of(const Case& c);

// A command as people may see it: a variable of the shell stands in the place of each secret, one
// that ends the command when nobody has set it.
std::string without_secrets(std::string command, std::span<const Secret> secrets);

// Titles, labels, fixes and commands of the answer.
void hide_secrets(Outcome& outcome, std::span<const Secret> secrets);

// The same texts with stars for the bytes of secrets: every place stays where it is.
Sources without_secrets(const Sources& sources, std::span<const Secret> secrets);

}  // namespace sx
