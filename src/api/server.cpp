// Beast over Unix sockets. Requests are small and few; each connection is bounded in time.
#include "api/server.h"

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <optional>

#include "sys/local_socket.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
using beast::error_code;

constexpr std::chrono::seconds kIdle{30};
constexpr std::size_t kMostBody = std::size_t{16} << 20U;  // a deployment
constexpr std::size_t kMostHead = std::size_t{16} << 10U;
constexpr int kMostConnections = 64;  // each command has one

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Local::socket socket, const ApiServer::Answer& answer, std::shared_ptr<int> count)
      : stream_(std::move(socket)), answer_(answer), count_(std::move(count)) {
    ++*count_;
  }
  ~Connection() { --*count_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHead);
    stream_.expires_after(kIdle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->reply();
                     });
  }

 private:
  void reply() {
    const auto& request = parser_->get();
    const std::string target(request.target());
    const std::size_t query = std::min(target.find('?'), target.size());
    ApiRequest asked{.method = std::string(request.method_string()),
                     .path = target.substr(0, query),
                     .query = query < target.size() ? target.substr(query + 1) : "",
                     .body = request.body(),
                     .peer = peer_of(stream_.socket().native_handle())};
    const ApiReply reply = answer_(asked);
    response_ = {};
    response_.result(static_cast<unsigned>(reply.status));
    response_.version(11);
    response_.set(http::field::content_type, "application/json");
    response_.keep_alive(request.keep_alive());
    response_.body() = reply.json + '\n';
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error && self->response_.keep_alive()) self->read();
                      });
  }

  beast::basic_stream<Local> stream_;
  const ApiServer::Answer& answer_;
  std::shared_ptr<int> count_;
  beast::flat_buffer buffer_{kMostBody};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct ApiServer::Inside : std::enable_shared_from_this<ApiServer::Inside> {
  Inside(asio::io_context& loop, UniqueFd fd, Answer with)
      : listener(loop, fd.release()), context(loop), answer(std::move(with)) {}

  void wait() {
    listener.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](error_code error) {
                          if (error) return;
                          self->accept();
                          self->wait();
                        });
  }

  void accept() {
    UniqueFd peer = accept_local(listener.native_handle());
    if (!peer.open() || *count >= kMostConnections) return;
    Local::socket socket(context);
    error_code error;
    socket.assign(Local(), peer.release(), error);
    if (!error) std::make_shared<Connection>(std::move(socket), answer, count)->read();
  }

  asio::posix::stream_descriptor listener;
  asio::io_context& context;
  Answer answer;
  std::shared_ptr<int> count = std::make_shared<int>(0);
};

ApiServer::ApiServer(asio::io_context& loop, UniqueFd listener, Answer answer)
    : inside_(std::make_shared<Inside>(loop, std::move(listener), std::move(answer))) {
  inside_->wait();
}

ApiServer::~ApiServer() { inside_->listener.cancel(); }

ApiReply api_error(int status, std::string_view name, const Both& words) {
  return {
      .status = status,
      .json = boost::json::serialize(boost::json::object{
          {"error", {{"name", name}, {"message", words.english}, {"message_zh", words.chinese}}}})};
}

}  // namespace sx
