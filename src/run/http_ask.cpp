// Beast for whole messages: these are few and small. The relay of requests is another matter.
#include "run/http_ask.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>

#include "run/tls_connect.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

class OneAsk : public std::enable_shared_from_this<OneAsk> {
 public:
  OneAsk(asio::io_context& loop, HttpAsk ask, HttpHeard heard)
      : loop_(loop), stream_(loop), ask_(std::move(ask)), heard_(std::move(heard)) {}

  void begin() {
    error_code error;
    const auto address = asio::ip::make_address(ask_.host, error);
    if (error) return end(HttpTold::How::Broken);
    const asio::ip::tcp::endpoint to(address, static_cast<unsigned short>(ask_.port));
    if (ask_.tls) return begin_tls(to);
    stream_.expires_after(ask_.limit);
    stream_.async_connect(
        to, [self = shared_from_this()](error_code problem) { self->connected(problem); });
  }

 private:
  void begin_tls(const asio::ip::tcp::endpoint& to) {
    auto context = TlsContext::of_client(*ask_.tls);
    if (!context) {
      why_ = context.error().what;
      return end(HttpTold::How::Broken);
    }
    context_ = std::move(*context);
    const std::string& name = ask_.name.empty() ? ask_.host : ask_.name;
    tls_connect(loop_, {.to = to, .host = name, .context = *context_, .limit = ask_.limit},
                [self = shared_from_this()](TlsConnected told) {
                  self->why_ = std::move(told.why);
                  error_code error = told.error;
                  // Any stream of bytes will do.
                  if (!error)
                    self->stream_.socket().assign(asio::ip::tcp::v4(), told.plain.get(), error);
                  [[maybe_unused]] const int owned = error ? -1 : told.plain.release();
                  self->stream_.expires_after(self->ask_.limit);
                  self->connected(error);
                });
  }

  void connected(error_code error) {
    if (error) return end(how(error));
    const bool posts = !ask_.body.empty() || ask_.method == "POST";
    request_.method(posts ? http::verb::post : http::verb::get);
    request_.target(ask_.target);
    request_.version(11);
    request_.set(http::field::host, ask_.host + ':' + std::to_string(ask_.port));
    request_.set(http::field::connection, "close");
    if (!ask_.bearer.empty()) request_.set(http::field::authorization, "Bearer " + ask_.bearer);
    if (posts) {
      request_.set(http::field::content_type, "application/json");
      request_.body() = ask_.body;
      request_.prepare_payload();
    }
    http::async_write(stream_, request_,
                      [self = shared_from_this()](error_code problem, std::size_t) {
                        if (problem) return self->end(how(problem));
                        self->read();
                      });
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(ask_.most_bytes);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code problem, std::size_t) {
                       self->end(problem ? how(problem) : HttpTold::How::Answered);
                     });
  }

  static HttpTold::How how(error_code error) {
    if (error == asio::error::connection_refused) return HttpTold::How::Refused;
    if (error == beast::error::timeout || error == asio::error::timed_out)
      return HttpTold::How::TimedOut;
    return HttpTold::How::Broken;
  }

  void end(HttpTold::How how_it_went) {
    HttpTold told{.how = how_it_went, .why = why_};
    if (how_it_went == HttpTold::How::Answered) {
      told.status = static_cast<int>(parser_->get().result_int());
      told.body = std::move(parser_->get().body());
    }
    // Never from within begin(): whoever asked is not ready to hear yet.
    asio::post(
        stream_.get_executor(),
        [heard = std::move(heard_), told = std::move(told)]() mutable { heard(std::move(told)); });
  }

  asio::io_context& loop_;
  beast::tcp_stream stream_;
  std::optional<TlsContext> context_;
  std::string why_;
  HttpAsk ask_;
  HttpHeard heard_;
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_{std::size_t{1} << 20U};
  std::optional<http::response_parser<http::string_body>> parser_;
};

}  // namespace

void http_ask(asio::io_context& loop, HttpAsk ask, HttpHeard heard) {
  std::make_shared<OneAsk>(loop, std::move(ask), std::move(heard))->begin();
}

HttpTold http_once(const HttpAsk& ask) {
  asio::io_context loop;
  HttpTold answer;
  http_ask(loop, ask, [&](HttpTold told) { answer = std::move(told); });
  loop.run();
  return answer;
}

}  // namespace sx
