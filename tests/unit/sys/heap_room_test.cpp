// Memory that is there before it is asked for.
#include "sys/heap_room.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace sx {
namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEXTANT_OTHER_HEAP 1
#endif
#endif
#else
#define SEXTANT_OTHER_HEAP 1
#endif

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// How many pages came one by one while so many bytes were filled in small pieces.
long faults_of(std::size_t bytes) {
  constexpr std::size_t kPiece = 1024;
  std::vector<std::unique_ptr<char[]>> pieces;
  pieces.reserve(bytes / kPiece);
  const long before = faults();
  for (std::size_t i = 0; i < bytes / kPiece; ++i)
    pieces.push_back(std::make_unique<char[]>(kPiece));
  return faults() - before;
}

// Whether the kernel gives pages together; it began to with 5.14.
bool given_together() {
#if defined(MADV_POPULATE_WRITE)
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* one = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool does = one != MAP_FAILED && madvise(one, page, MADV_POPULATE_WRITE) == 0;
  if (one != MAP_FAILED) munmap(one, page);
  return does;
#else
  return false;
#endif
}

TEST(HeapRoom, IsFilledWithoutAFaultAPage) {
#if defined(SEXTANT_OTHER_HEAP)
  GTEST_SKIP() << "the heap is another one here";
#endif
  if (!given_together()) GTEST_SKIP() << "the kernel is older";
  constexpr std::size_t kUsed = std::size_t{2} << 20;
  const long pages = static_cast<long>(kUsed) / sysconf(_SC_PAGESIZE);
  make_heap_room(mib(4));
  EXPECT_LT(faults_of(kUsed), pages / 4);
}

TEST(HeapRoom, SenselessSizesAreLeftAlone) {
  make_heap_room(Bytes{0});
  make_heap_room(Bytes{-1});
  make_heap_room(mib(1 << 20));  // a tebibyte
  EXPECT_NE(std::make_unique<char[]>(1000), nullptr);
}

}  // namespace
}  // namespace sx
