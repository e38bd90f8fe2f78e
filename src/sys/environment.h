// The environment of this process, as a value that tests can make.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sx {

class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}
  static Environment of_process();
  std::optional<std::string> get(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace sx
