// Beast, without a loop of its own beyond the one request.
#include "api/client.h"

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>

#include "sys/local_socket.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
using beast::error_code;

constexpr std::size_t kMostAnswer = std::size_t{64} << 20U;

std::unexpected<Error> no_answer(const std::string& socket, bool late) {
  if (late)
    return fail(Error::Kind::TimedOut, "the daemon at " + socket + " does not answer in time",
                socket + " 处的守护进程没有及时应答");
  return fail(Error::Kind::Damaged, "the daemon at " + socket + " broke off its answer",
              socket + " 处的守护进程中断了应答");
}

}  // namespace

Result<ApiAnswer> api_ask(const std::string& socket, const std::string& method,
                          const std::string& target, const std::string& body,
                          std::chrono::milliseconds limit) {
  SX_TRY(UniqueFd peer, connect_local(socket));
  asio::io_context loop;
  Local::socket own(loop);
  error_code problem;
  own.assign(Local(), peer.release(), problem);
  if (problem) return no_answer(socket, false);
  beast::basic_stream<Local> stream(std::move(own));
  stream.expires_after(limit);
  http::request<http::string_body> request;
  request.method_string(method);
  request.target(target);
  request.version(11);
  request.set(http::field::host, "sextant");
  request.set(http::field::connection, "close");
  request.body() = body;
  request.prepare_payload();
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostAnswer);
  std::optional<error_code> ended;
  http::async_write(stream, request, [&](error_code error, std::size_t) {
    if (error) {
      ended = error;
      return;
    }
    http::async_read(stream, buffer, parser,
                     [&](error_code at_end, std::size_t) { ended = at_end; });
  });
  loop.run();
  if (!ended || *ended) return no_answer(socket, ended && *ended == beast::error::timeout);
  return ApiAnswer{.status = static_cast<int>(parser.get().result_int()),
                   .body = std::move(parser.get().body())};
}

}  // namespace sx
