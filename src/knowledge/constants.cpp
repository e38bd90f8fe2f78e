// Numbers of the world that formulas need, by engine and version.
#include "knowledge/constants.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct ConstantRow {
  std::optional<Version> since;
  std::optional<Version> until;  // the last version it holds for
  Constant constant;
};
using Rows = std::vector<ConstantRow>;

// Of one name: the engine's own rows go before the common ones.
struct Named {
  std::string_view name;
  Rows own, common;
};

// Names are ours and few, and differ in length, in their first letters or in their last ones: a
// hash of those is as good as one of all letters, and much sooner made.
std::size_t hash_of_ends(std::string_view name) {
  constexpr std::size_t kEnd = sizeof(std::uint64_t);
  std::uint64_t head = 0, tail = 0;
  if (name.size() >= kEnd) {
    std::memcpy(&head, name.data(), kEnd);
    std::memcpy(&tail, name.data() + name.size() - kEnd, kEnd);
  } else {
    for (const char letter : name) head = head << 8 | static_cast<unsigned char>(letter);
  }
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  const std::uint64_t mixed = (head * kOdd ^ tail ^ name.size()) * kOdd;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

// Hashed, as a budget asks for dozens of them and a search for layouts works out hundreds of
// budgets; into places that follow one another, twice as many as names.
class Constants {
 public:
  const Named* find(std::string_view name) const {
    for (std::size_t at = hash_of_ends(name);; ++at) {
      const std::uint32_t place = places_[at & (places_.size() - 1)];
      if (place == 0) return nullptr;
      if (all_[place - 1].name == name) return &all_[place - 1];
    }
  }

  Named& of(std::string_view name) {
    if (const Named* known = find(name)) return all_[static_cast<std::size_t>(known - &all_[0])];
    all_.push_back({.name = name, .own = {}, .common = {}});
    if (2 * all_.size() > places_.size()) {
      places_.assign(2 * places_.size(), 0);
      for (std::size_t i = 0; i + 1 < all_.size(); ++i) put(i);
    }
    put(all_.size() - 1);
    return all_.back();
  }

  std::vector<Named>& all() { return all_; }

 private:
  void put(std::size_t index) {
    std::size_t at = hash_of_ends(all_[index].name);
    while (places_[at & (places_.size() - 1)] != 0) ++at;
    places_[at & (places_.size() - 1)] = static_cast<std::uint32_t>(index + 1);
  }

  std::vector<Named> all_;
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(512);  // index + 1; 0: free
};

enum Column : std::size_t { kName, kSince, kUntil, kValue, kLow, kHigh, kUnit, kSource, kOrigin };
constexpr std::array<std::string_view, 9> kColumns{"name", "since", "until",  "value", "low",
                                                   "high", "unit",  "source", "origin"};

void read_into(Constants& constants, Rows Named::* of, const Table& table) {
  const RowReader<kColumns.size()> reader(table, kColumns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cells = reader.row(row);
    const auto value = number_cell(cells[kValue]);
    if (!value) continue;  // written as unknown
    (constants.of(cells[kName]).*of)
        .push_back({.since = version_cell(cells[kSince]),
                    .until = version_cell(cells[kUntil]),
                    .constant = {.value = *value,
                                 .low = number_cell(cells[kLow]).value_or(*value),
                                 .high = number_cell(cells[kHigh]).value_or(*value),
                                 .unit = cells[kUnit],
                                 .source = cells[kSource],
                                 .origin = cells[kOrigin]}});
  }
  for (Named& named : constants.all()) std::ranges::sort(named.*of, {}, &ConstantRow::since);
}

const Constants& common_constants() {
  static const Constants all = [] {
    Constants read;
    read_into(read, &Named::common, Table(table_bytes("data/constants.tsv")));
    return read;
  }();
  return all;
}

Constants read_constants(std::string_view, const Table& table) {
  Constants all = common_constants();
  read_into(all, &Named::own, table);
  return all;
}

// The newest row that has begun; nothing when that one has ended.
const Constant* in_force(const Rows& rows, const Version& version) {
  const ConstantRow* newest = nullptr;
  for (const auto& row : rows) {
    if (!row.since || *row.since <= version) newest = &row;
  }
  if (newest == nullptr || (newest->until && version > *newest->until)) return nullptr;
  return &newest->constant;
}

}  // namespace

std::optional<Constant> constant(std::string_view engine, std::string_view name,
                                 const Version& version) {
  const auto* own = engine_table<read_constants>(engine, "memory.tsv");
  const Constants& all = own != nullptr ? *own : common_constants();
  const Named* found = all.find(name);
  if (found == nullptr) return {};
  const Constant* row = in_force(found->own, version);
  if (row == nullptr) row = in_force(found->common, version);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

}  // namespace sx
