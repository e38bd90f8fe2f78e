// One row a major version of CUDA: within it, older drivers keep working.
#include "knowledge/drivers.h"

#include <vector>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<long long> numbers_of(std::string_view version) {
  std::vector<long long> numbers;
  for (const std::string_view part : split(version, '.')) {
    const auto number = to_integer(part);
    if (!number || *number < 0) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::optional<std::string_view> oldest_driver(std::string_view cuda) {
  static const Table table(table_bytes("data/drivers.tsv"));
  const std::string_view major = cuda.substr(0, cuda.find('.'));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.cell(row, "cuda") != major) continue;
    const std::string_view driver = known_cell(table.cell(row, "minimum_driver"));
    if (!driver.empty()) return driver;
  }
  return {};
}

std::optional<bool> driver_before(std::string_view a, std::string_view b) {
  const auto left = numbers_of(a), right = numbers_of(b);
  if (left.empty() || right.empty()) return {};
  return left < right;
}

}  // namespace sx
