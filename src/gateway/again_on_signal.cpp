// Heard in the loop, between requests.
#include "gateway/again_on_signal.h"

#include <csignal>

#include "gateway/tls_door.h"

namespace sx {

AgainOnSignal::AgainOnSignal(Relay& relay) : relay_(relay), signals_(relay.loop, SIGHUP, SIGUSR1) {
  wait();
}

void AgainOnSignal::wait() {
  signals_.async_wait([this](const LoopError& error, int) {
    if (error) return;
    if (const auto read = relay_.books.key_file.look(true); !read && relay_.trouble)
      relay_.trouble(read.error());
    if (TlsDoor* door = relay_.door()) door->look(true);
    if (relay_.books.access_log) relay_.books.access_log->reopen();
    wait();
  });
}

}  // namespace sx
