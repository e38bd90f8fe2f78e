// A thread beside a loop: signals are for the loop, so it takes none.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace sx {

template <class Work>
std::thread quiet_thread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // what begins inherits it
  std::thread begun(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return begun;
}

}  // namespace sx
