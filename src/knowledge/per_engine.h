// One table an engine, each read when it is first asked for.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "knowledge/tables.h"

namespace sx {

// Engines that may have tables under data/engines. A new engine is one word here.
constexpr std::array<std::string_view, 3> kEnginesWithTables{"vllm", "sglang", "llamacpp"};

namespace detail {

// A static of its own for each reader and engine: made once, on first use, by the compiler's guard.
template <auto Read, std::size_t Engine>
auto table_of(std::string_view file) {
  using T = decltype(Read(std::string_view{}, std::declval<const Table&>()));
  static const std::optional<T> made = [file]() -> std::optional<T> {
    const std::string_view engine = kEnginesWithTables[Engine];
    const auto bytes = find_table("data/engines/" + std::string(engine) + "/" + std::string(file));
    if (!bytes) return {};
    return Read(engine, Table(*bytes));
  }();
  return made ? &*made : nullptr;
}

template <auto Read, std::size_t... Engines>
auto table_of(std::string_view engine, std::string_view file, std::index_sequence<Engines...>) {
  decltype(table_of<Read, 0>(file)) found = nullptr;
  ((engine == kEnginesWithTables[Engines] ? void(found = table_of<Read, Engines>(file)) : void()),
   ...);
  return found;
}

}  // namespace detail

// What Read(engine, table) made of data/engines/<engine>/<file>; null for an engine without that
// file. A reader belongs to one file.
template <auto Read>
auto engine_table(std::string_view engine, std::string_view file) {
  return detail::table_of<Read>(engine, file,
                                std::make_index_sequence<kEnginesWithTables.size()>());
}

}  // namespace sx
