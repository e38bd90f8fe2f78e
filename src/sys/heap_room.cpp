// A block of the heap is filled with pages and freed: what comes after is cut from it.
#include "sys/heap_room.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace sx {

void make_heap_room(Bytes room) {
#if defined(__GLIBC__) && defined(MADV_POPULATE_WRITE)
  constexpr Bytes kMost = mib(16);  // more is no small command
  const long page = sysconf(_SC_PAGESIZE);
  if (room <= Bytes{0} || room > kMost || page <= 0) return;
  const auto size = static_cast<std::size_t>(room.count());
  // So large a block would lie outside the heap, and be given back when it is freed.
  const int more = static_cast<int>(2 * kMost.count());
  if (mallopt(M_MMAP_THRESHOLD, more) == 0 || mallopt(M_TRIM_THRESHOLD, more) == 0) return;
  void* block = std::malloc(size);
  if (block == nullptr) return;
  const auto unit = static_cast<std::uintptr_t>(page);
  const auto begin = (reinterpret_cast<std::uintptr_t>(block) + unit - 1) / unit * unit;
  const auto end = (reinterpret_cast<std::uintptr_t>(block) + size) / unit * unit;
  // A kernel that does not know it says so, and nothing is lost.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
  std::free(block);
#else
  (void)room;
#endif
}

}  // namespace sx
