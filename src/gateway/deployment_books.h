// The books of a gateway that belongs to a deployment: its file of keys and its certificate as the
// record names them, its access log in the state folder.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include "gateway/key_store.h"
#include "gateway/relay.h"
#include "run/deployment.h"
#include "run/state_folder.h"

namespace sx {

class DeploymentBooks {
 public:
  // Opens the log and reads the keys. A record or a file of keys that is there and cannot be read
  // leaves the gateway locked.
  DeploymentBooks(Relay& relay, StateFolder folder);

  // Reads the record when it has changed; by itself it does so every second. One that could not be
  // read is tried again at every look.
  void look();

 private:
  void begin_log();
  void take_policy(const Deployment& deployment);
  void wait();
  Relay& relay_;
  StateFolder folder_;
  FileLook seen_;
  bool read_ = false;  // as it was seen
  TlsFiles tls_;
  std::string otlp_;
  std::optional<double> sample_;
  boost::asio::steady_timer timer_;
};

}  // namespace sx
