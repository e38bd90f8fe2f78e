// Words are put together in the order in which an engine's command_for asks for them.
#include "engines/argparse/writer.h"

#include <array>
#include <charconv>

namespace sx::argparse {

std::string text_of(double number) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string("0");
}

std::string text_of(int number) { return std::to_string(number); }
std::string text_of(Tokens tokens) { return std::to_string(tokens.count()); }
std::string text_of(Bytes bytes) { return std::to_string(bytes.count()); }
std::string text_of(const std::string& text) { return text; }

void Writer::toggle(std::string_view name, const Fact<bool>& fact) {
  if (!fact.known()) return;
  cover(name);
  if (fact.origin() != Origin::Flag) return;
  words_.push_back(fact.value() ? std::string(name) : "--no-" + std::string(name.substr(2)));
}

void Writer::on(std::string_view name, const Fact<bool>& fact) {
  if (!fact.known()) return;
  cover(name);
  if (fact.origin() == Origin::Flag && fact.value()) words_.emplace_back(name);
}

void Writer::put(std::string_view name, std::string value) {
  words_.emplace_back(name);
  words_.push_back(std::move(value));
}

void Writer::rest(std::string_view model_flag) {
  for (const FlagUse& use : serve_.flags) {
    if (!use.path && std::ranges::find(covered_, std::string_view(use.name)) != covered_.end())
      continue;
    if (use.name == model_flag || use.meant == model_flag || use.name == "--config") continue;
    std::string name = use.name;
    if (use.negated && use.values.empty())
      name = "--no-" + name.substr(std::min<std::size_t>(2, name.size()));
    if (use.path) name += '.' + *use.path + (use.append ? "+" : "");
    words_.push_back(std::move(name));
    words_.insert(words_.end(), use.values.begin(), use.values.end());
  }
}

}  // namespace sx::argparse
