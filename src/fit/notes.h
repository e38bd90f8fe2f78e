// Sentences about a line of memory, for --why. Lines of many GPUs say the same: a copy shares them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "diag/message.h"

namespace sx {

class Notes {
 public:
  Notes() = default;
  Notes(std::vector<Message> all)  // NOLINT: a list of sentences is notes
      : all_(all.empty() ? nullptr : std::make_shared<const std::vector<Message>>(std::move(all))) {
  }
  Notes(std::initializer_list<Message> all) : Notes(std::vector<Message>(all)) {}

  // What shares these keeps what it had.
  void add(Message note) {
    std::vector<Message> more = all_ == nullptr ? std::vector<Message>{} : *all_;
    more.push_back(std::move(note));
    all_ = std::make_shared<const std::vector<Message>>(std::move(more));
  }

  bool empty() const { return all_ == nullptr; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  const Message& back() const { return all().back(); }

 private:
  std::span<const Message> all() const {
    return all_ == nullptr ? std::span<const Message>{} : std::span<const Message>(*all_);
  }

  std::shared_ptr<const std::vector<Message>> all_;  // null: none
};

}  // namespace sx
