// A command line that says what a ServeSpec says, in long names.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "facts/serve_spec.h"

namespace sx::argparse {

// The shortest text that reads back as the same number.
std::string text_of(double number);
std::string text_of(int number);
std::string text_of(Tokens tokens);
std::string text_of(Bytes bytes);
std::string text_of(const std::string& text);

class Writer {
 public:
  explicit Writer(const ServeSpec& serve) : serve_(serve) {}

  // A flag with one value; `name` is then no longer written from the list of flags.
  template <class T>
  void value(std::string_view name, const Fact<T>& fact) {
    if (!fact.known()) return;  // a use with a value that cannot be known stays as it was written
    cover(name);
    if (fact.origin() == Origin::Flag) put(name, text_of(fact.value()));
  }

  // A switch that has an opposite, --no-x.
  void toggle(std::string_view name, const Fact<bool>& fact);
  // A switch that has none.
  void on(std::string_view name, const Fact<bool>& fact);

  void cover(std::string_view name) { covered_.push_back(name); }
  void put(std::string_view name, std::string value);
  void add(std::string word) { words_.push_back(std::move(word)); }
  bool used(std::string_view name) const { return serve_.use_of(name) != nullptr; }

  // Flags as they were used, but for the model and what was covered; values of dotted and list
  // flags included. What a file of flags said stands among them, so the file is left out.
  void rest(std::string_view model_flag);

  std::vector<std::string> finish() && { return std::move(words_); }

 private:
  const ServeSpec& serve_;
  std::vector<std::string> words_;
  std::vector<std::string_view> covered_;
};

}  // namespace sx::argparse
