// SIGHUP and SIGUSR1, as service managers and logrotate send them: the file of keys is read, the
// access log is opened again.
#pragma once

#include <boost/asio/signal_set.hpp>

#include "gateway/relay.h"

namespace sx {

class AgainOnSignal {
 public:
  explicit AgainOnSignal(Relay& relay);

 private:
  void wait();
  Relay& relay_;
  boost::asio::signal_set signals_;
};

}  // namespace sx
