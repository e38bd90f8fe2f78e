// Names are looked up once, models are asked for again and again: engines come and go.
#include "gateway/front.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <set>

#include "diag/message.h"
#include "gateway/again_on_signal.h"
#include "gateway/descriptors.h"
#include "gateway/relay.h"
#include "run/http_ask.h"
#include "run/json_fields.h"
#include "run/port_held.h"
#include "sys/system_words.h"

namespace sx {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

constexpr std::chrono::seconds kGrace{30};     // for requests in flight when asked to end
constexpr std::chrono::seconds kAskModels{5};  // an engine that came up is known so soon
constexpr std::chrono::milliseconds kModelsTime{2000};
constexpr std::size_t kMostModels = 1000;
constexpr int kBacklog = 1024;

constexpr Text kNoKey{
    "the engine at {host}:{port} asks for a key: --backend http://{host}:{port},key-file=FILE (or "
    ",key-env=VARIABLE)",
    "{host}:{port} 上的引擎要求密钥：--backend http://{host}:{port},key-file=文件（或 "
    ",key-env=环境变量）"};
constexpr Text kOtherKey{"the engine at {host}:{port} does not take the key that it is shown",
                         "{host}:{port} 上的引擎不接受出示给它的密钥"};

Result<Route> route_to(asio::io_context& loop, const BackendUrl& backend, int index,
                       const std::string& otherwise) {
  Tcp::resolver resolver(loop);
  LoopError error;
  const auto found = resolver.resolve(backend.host, std::to_string(backend.port), error);
  if (error || found.empty())
    return fail(Error::Kind::Absent, "cannot find " + backend.host + ": " + error.message(),
                "找不到主机 " + backend.host + "：" + error.message());
  // "localhost" has two addresses; engines listen on the older kind unless told otherwise.
  auto chosen = found.begin();
  for (auto at = found.begin(); at != found.end(); ++at) {
    if (at->endpoint().address().is_v4()) {
      chosen = at;
      break;
    }
  }
  Route route{.replica = index,
              .host = chosen->endpoint().address().to_string(),
              .port = backend.port,
              .key = backend.key.empty() ? otherwise : backend.key,
              .takes = true,
              .weight = backend.weight,
              .most = backend.most};
  return route;
}

Result<UniqueFd> listen_at(asio::io_context& loop, const ListenPlace& place) {
  LoopError error;
  const auto address =
      asio::ip::make_address(place.host == "localhost" ? "127.0.0.1" : place.host, error);
  Tcp::acceptor acceptor(loop);
  const Tcp::endpoint endpoint(address, static_cast<unsigned short>(place.port));
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  const std::string where = place.host + ':' + std::to_string(place.port);
  if (error) {
    const Both why =
        error == asio::error::address_in_use ? port_held(place.port) : system_words(error.value());
    return fail(Error::Kind::Refused, "cannot listen on " + where + ": " + why.english,
                "无法监听 " + where + "：" + why.chinese);
  }
  return UniqueFd(acceptor.release(error));
}

std::vector<std::string> models_in(const std::string& body) {
  std::vector<std::string> names;
  const auto object = json_object(body, "the list of models");
  if (!object) return names;
  JsonFields fields(*object, "the list of models");
  const auto* data = fields.array("data", kMostModels);
  if (data == nullptr) return names;
  for (const auto& one : *data) {
    if (!one.is_object()) continue;
    JsonFields model(one.get_object(), "a model");
    std::string id = model.text("id");
    if (model.error() && !id.empty()) names.push_back(std::move(id));
  }
  return names;
}

// Asks each for its models. One that does not answer keeps what it was known to serve; one that
// never did may serve anything.
class ModelWatch {
 public:
  // `once` is called when all have answered for the first time, or will not.
  explicit ModelWatch(Relay& relay, std::function<void()> once = {})
      : relay_(relay), timer_(relay.loop), once_(std::move(once)) {
    ask();
  }

 private:
  void ask() {
    open_ = relay_.replicas().size();
    for (const auto& replica : relay_.replicas()) {
      http_ask(relay_.loop,
               {.host = replica->route.host,
                .port = replica->route.port,
                .method = "GET",
                .target = "/v1/models",
                .body = {},
                .bearer = replica->route.key,
                .limit = kModelsTime},
               [this, index = replica->route.replica](const HttpTold& told) {
                 if (--open_ == 0 && once_) asio::post(relay_.loop, std::exchange(once_, {}));
                 if (told.how != HttpTold::How::Answered) return;
                 say_refused(index, told.status);
                 if (told.status != 200) return;
                 if (auto names = models_in(told.body); !names.empty())
                   relay_.set_models(index, std::move(names));
               });
    }
    timer_.expires_after(kAskModels);
    timer_.async_wait([this](LoopError error) {
      if (!error) ask();
    });
  }

  // Its clients would see the engine's refusal and could do nothing about it. Once until it is
  // over.
  void say_refused(int index, int status) {
    constexpr int kUnauthorized = 401, kForbidden = 403;
    if (status != kUnauthorized && status != kForbidden) {
      refused_.erase(index);
      return;
    }
    if (!refused_.insert(index).second || !relay_.trouble) return;
    for (const auto& replica : relay_.replicas()) {
      const Route& route = replica->route;
      if (route.replica != index) continue;
      relay_.trouble(
          {Error::Kind::Refused, in_both({route.key.empty() ? kNoKey : kOtherKey,
                                          {{"host", route.host}, {"port", route.port}}})});
    }
  }

  Relay& relay_;
  std::set<int> refused_;  // engines that answered so last
  asio::steady_timer timer_;
  std::function<void()> once_;
  std::size_t open_ = 0;
};

Result<RouteTable> table_of(asio::io_context& loop, const FrontAsk& ask) {
  RouteTable table;
  for (const BackendUrl& backend : ask.backends) {
    SX_TRY(auto route,
           route_to(loop, backend, static_cast<int>(table.routes.size()), ask.backend_key));
    table.routes.push_back(std::move(route));
  }
  table.aliases = ask.aliases;
  table.default_model = ask.default_model;
  table.times = ask.times;
  return table;
}

}  // namespace

Result<void> run_front(const FrontAsk& ask) {
  std::signal(SIGPIPE, SIG_IGN);
  take_all_descriptors(RelayLimits{}.sessions);
  asio::io_context loop{kOneThread};
  Relay relay(loop, {});
  SX_TRY(const RouteTable table, table_of(loop, ask));
  relay.set_routes(table);
  SX_TRY(auto socket, listen_at(loop, ask.listen));
  ListenPlace place = ask.listen;
  relay.trouble = ask.trouble;
  if (auto read = relay.books.key_file.begin(ask.key_file); !read) return read;
  if (!ask.access_log.empty()) {
    SX_TRY(relay.books.access_log, AccessLog::begin({.path = ask.access_log}));
  }
  if (auto begun = relay.books.trace_to(ask.otlp); !begun) return begun;
  if (ask.tls.wanted()) {
    if (auto good = relay.encrypt(ask.tls); !good) return good;
  }
  if (auto listens = relay.listen(std::move(socket)); !listens) return listens;
  place.port = relay.port();
  if (ask.listens) ask.listens(place);
  ModelWatch models(relay);
  const AgainOnSignal again(relay);
  asio::signal_set signals(loop, SIGTERM, SIGINT);
  std::function<void()> hear = [&] {
    signals.async_wait([&](LoopError error, int) {
      if (error) return;
      relay.drain(relay.draining() ? std::chrono::seconds(0) : kGrace, [&loop] { loop.stop(); });
      hear();
    });
  };
  hear();
  relay.run();
  return {};
}

Result<ExplainedRoute> explain_front(const FrontAsk& ask, const RouteQuestion& question) {
  asio::io_context loop{kOneThread};
  Relay relay(loop, {});
  relay.trouble = ask.trouble;
  SX_TRY(const RouteTable table, table_of(loop, ask));
  relay.set_routes(table);
  ModelWatch models(relay, [&loop] { loop.stop(); });
  loop.run();
  return explain_route(relay, question);
}

}  // namespace sx
