// The table grows to the highest number that is used: one is taken up there and given back. Linux
// waits for a grace period (synchronize_rcu in fs/file.c) when another thread shares the table.
#include "gateway/descriptors.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/unique_fd.h"

namespace sx {

void take_all_descriptors(std::size_t sessions) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t needed = sessions * kDescriptorsOfClient + kDescriptorsOfOurs;
  const auto highest = std::min(needed, static_cast<std::size_t>(limit.rlim_max)) - 1;
  const UniqueFd any(::eventfd(0, EFD_CLOEXEC));
  const UniqueFd high(::fcntl(any.get(), F_DUPFD_CLOEXEC, static_cast<int>(highest)));
}

}  // namespace sx
