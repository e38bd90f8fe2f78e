// Frames that ended lie on shelves by size: a request takes the same ones as the request before.
#include "gateway/loop_task.h"

#include <array>
#include <new>

namespace sx::loop_detail {
namespace {

constexpr std::size_t kStep = 64, kShelves = 32;  // up to 2 KiB
constexpr int kMostOnShelf = 64;                  // what a burst leaves behind stays small

struct Free {
  Free* next;
};

struct Shelf {
  Free* first = nullptr;
  int count = 0;
};

struct Shelves {
  std::array<Shelf, kShelves> by_size;
  ~Shelves() {
    for (Shelf& shelf : by_size) {
      while (shelf.first != nullptr)
        ::operator delete(std::exchange(shelf.first, shelf.first->next));
    }
  }
};

// One loop, one thread: no lock. Programs of tests have loops in several threads.
thread_local Shelves shelves;

std::size_t shelf_of(std::size_t size) { return (size - 1) / kStep; }

}  // namespace

void* take_frame(std::size_t size) {
  const std::size_t at = shelf_of(size);
  if (at >= kShelves) return ::operator new(size);
  Shelf& shelf = shelves.by_size[at];
  if (shelf.first == nullptr) return ::operator new((at + 1) * kStep);
  --shelf.count;
  return std::exchange(shelf.first, shelf.first->next);
}

void give_frame(void* frame, std::size_t size) noexcept {
  const std::size_t at = shelf_of(size);
  if (at >= kShelves || shelves.by_size[at].count >= kMostOnShelf) return ::operator delete(frame);
  Shelf& shelf = shelves.by_size[at];
  ++shelf.count;
  shelf.first = new (frame) Free{shelf.first};
}

}  // namespace sx::loop_detail
