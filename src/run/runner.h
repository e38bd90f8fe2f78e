// Carries out what the supervisor decides and brings back what happens: keepers, probes, causes.
// Lives in one event loop; what waits for other programs runs beside it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/given_up.h"
#include "run/journal.h"
#include "run/ladder_tale.h"
#include "run/start_times.h"
#include "run/state_folder.h"
#include "run/supervisor.h"
#include "sys/port_claim.h"

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
  std::vector<bool> left_out;  // of each layout: known not to work here
  std::string machine;         // machine_words(): part of what is remembered of a layout
  std::optional<Supervisor::Resumed> resumed;  // a reload that an earlier daemon did not finish
  GivenUp given_up;                            // by that daemon
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
  // Why engines have no control groups of their own; empty: they have.
  const Both& no_control_groups() const;
  // Bytes came from that replica for a request: it lives, whatever its health path says.
  void note_traffic(int replica);
  // Requests of the gateway that wait for a byte of it.
  void note_awaiting(int replica, std::uint64_t requests);
  // How far its start is; empty: it does not start, or no earlier start of its shape is known.
  std::optional<Outlook> outlook(int replica) const;
  const std::vector<RungResult>& rungs_tried() const;
  // The deployment with this replica's launch at another port, so that a reload restarts it without
  // a gap. An error says why it has to stop first. `chosen`: holds that port until it is ours.
  Result<Deployment> with_one_beside(int replica, PortClaims& chosen) const;

  // Requests that wait in a replica's own queue, as its metrics say.
  std::function<void(int replica, std::uint64_t waiting)> queue_seen;
  std::function<void()> routes_changed;
  std::function<void(const Transition&)> changed;
  // To let the requests of a replica end; calls back when none is left.
  std::function<void(int replica, std::function<void()> done)> drain;
  std::function<void(bool asked)> finished;
  // A replica that failed is wanted on other cards of the machine. Refused: nothing has changed.
  std::function<Result<void>(Deployment wanted)> moves;
  // A reload does not work; what runs turns back into what ran before.
  std::function<void(const std::string& cause)> turned_back;
  // A reload came to its end; `cause`: why everything is as it was before.
  std::function<void(bool good, const std::string& cause)> reloaded;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace sx
