// Carries out what the supervisor decides and brings back what happens: keepers, probes, causes.
// Lives in one event loop; what waits for other programs runs beside it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/journal.h"
#include "run/state_folder.h"
#include "run/supervisor.h"

namespace boost::asio {
class io_context;
}

namespace sx {

struct RunnerAsk {
  Deployment deployment;
  StateFolder folder;
  std::string program;  // our own, by path: keepers and `diagnose` are it
  std::size_t first = 0;
  bool ladder = false;
  bool resume = false;  // what an earlier daemon started of this very deployment is taken over
  Patience patience;
};

class Runner {
 public:
  Runner(boost::asio::io_context& loop, RunnerAsk ask, Journal& journal);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Takes over what an earlier daemon left running, or ends what is left of another deployment;
  // starts the rest.
  void begin();
  void tell(const Event& event);  // AskDown, AskRestart …
  const Supervisor& supervisor() const;
  const Deployment& deployment() const;
  // Bytes came from that replica for a request: it lives, whatever its health path says.
  void note_traffic(int replica);

  std::function<void()> routes_changed;
  std::function<void(const Transition&)> changed;
  // To let the requests of a replica end; calls back when none is left.
  std::function<void(int replica, std::function<void()> done)> drain;
  std::function<void(bool asked)> finished;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace sx
