// Composed: the relay, the daemon's socket, the signals of the system.
#include "gateway/relay_process.h"

#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "gateway/again_on_signal.h"
#include "gateway/control.h"
#include "gateway/deployment_books.h"
#include "gateway/descriptors.h"
#include "run/state_folder.h"
#include "sys/files.h"
#include "sys/local_socket.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr int kListenerAt = 3;
constexpr int kCouldNotServe = 2;
constexpr std::chrono::seconds kGraceOfSystem{30};  // when the system asks us to end
constexpr Bytes kMostRoutes = mib(1);

}  // namespace

int run_relay(const std::string& folder, std::function<void(const Error&)> trouble) {
  const StateFolder state{folder};
  std::signal(SIGPIPE, SIG_IGN);
  take_all_descriptors(RelayLimits{}.sessions);
  asio::io_context loop{kOneThread};
  Relay relay(loop, {});
  relay.trouble = std::move(trouble);
  // The last table, for as long as nobody sends a newer one.
  if (const auto text = real_files().read(state.routes(), kMostRoutes)) {
    if (const auto routes = read_routes(*text)) relay.set_routes(*routes);
  }
  const DeploymentBooks books(relay, state);
  const AgainOnSignal again(relay);
  auto socket = listen_local(state.gateway());
  if (!socket) return kCouldNotServe;
  if (!relay.listen(UniqueFd(kListenerAt))) return kCouldNotServe;
  GatewayControl control(relay, std::move(*socket));
  const auto end = [&](std::chrono::seconds grace) {
    if (!relay.draining()) {
      control.close();
      ::unlink(state.gateway().c_str());  // a next one may begin while we drain
    }
    relay.drain(grace, [&loop] { loop.stop(); });
  };
  control.stop = end;
  asio::signal_set signals(loop, SIGTERM, SIGINT);
  std::function<void()> hear = [&] {
    signals.async_wait([&](boost::system::error_code error, int) {
      if (error) return;
      end(relay.draining() ? std::chrono::seconds(0) : kGraceOfSystem);
      hear();
    });
  };
  hear();
  relay.run();
  return 0;
}

}  // namespace sx
