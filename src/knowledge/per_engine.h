// One table an engine, each read when it is first asked for.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/tables.h"

namespace sx {

// T is made by `read(engine, table)`. Safe to ask from several threads: the list of engines does
// not change once it is there, and each table is read once.
template <class T>
class PerEngine {
 public:
  using Read = T (*)(std::string_view engine, const Table& table);

  PerEngine(std::string_view file, Read read) : file_(file), read_(read) {
    for (auto& engine : engines_with_table(file)) {
      slots_.push_back(std::make_unique<Slot>(std::move(engine)));
    }
  }

  // Null for an engine without such a table.
  const T* of(std::string_view engine) {
    for (auto& slot : slots_) {
      if (slot->engine != engine) continue;
      std::call_once(slot->once, [&] {
        slot->value = read_(slot->engine, Table(table_bytes("data/engines/" + slot->engine + "/" + file_)));
      });
      return &slot->value;
    }
    return nullptr;
  }

 private:
  struct Slot {
    explicit Slot(std::string name) : engine(std::move(name)) {}
    std::string engine;
    std::once_flag once;
    T value;
  };

  std::string file_;
  Read read_;
  std::vector<std::unique_ptr<Slot>> slots_;  // by pointer: a once_flag cannot move
};

}  // namespace sx
