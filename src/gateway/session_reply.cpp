// What the gateway answers by itself: models, numbers, refusals.
#include <algorithm>

#include "gateway/metrics_page.h"
#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kPiece = 4096;                        // read of a body that is thrown away
constexpr std::size_t kMostLinger = std::size_t{1} << 20U;  // of it

}  // namespace

void ClientSession::answer_here() {
  using Kind = RequestFate::Kind;
  if (fate_.kind == Kind::Metrics) return answer_metrics();
  if (fate_.kind == Kind::Ready && !relay_.takes_any()) {
    const auto names = relay_.models();
    return refuse(no_replica(names.size() == 1 ? names.front() : ""));
  }
  std::string body = "{\"status\":\"ok\"}\n";
  if (fate_.kind == Kind::Models) body = models_page(relay_.served());
  if (fate_.kind == Kind::OneModel) {
    const auto served = relay_.served();
    const auto found = std::ranges::find(served, fate_.model, &ServedModel::name);
    if (found == served.end()) return refuse(refused_model(fate_.model, relay_.models()));
    body = model_page(*found);
  }
  ++relay_.counters.answered_here;
  reply({.status = 200, .body = std::move(body)});
}

// A proxy on this machine that speaks for others says so.
bool ClientSession::from_this_machine() const {
  for (const char* forwarded : {"Forwarded", "X-Forwarded-For", "Via"}) {
    if (!field_value(head_.fields, forwarded).empty()) return false;
  }
  LoopError error;
  const auto address = client_.remote_endpoint(error).address();
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  return !error &&
         (address.is_loopback() ||
          (mapped &&
           asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback()));
}

void ClientSession::answer_metrics() {
  if (!book_.has_key() && !from_this_machine())
    return refuse(refused_metrics(relay_.books.keys.state() != GatewayKeys::State::Open));
  const bool open = wants_open_metrics(field_value(head_.fields, "Accept"));
  ++relay_.counters.answered_here;
  reply({.status = 200, .body = relay_.metrics(open), .type = metrics_type(open)});
}

// g++ 12 destroys some temporaries of an awaited call twice, so what is to be sent is made first
// and sent by a call without arguments.
void ClientSession::reply(const Reply& reply) {
  keep_ = keep_ && body_whole_ && !relay_.draining();
  out_head_ = "HTTP/1.1 " + std::to_string(reply.status) + ' ';
  out_head_.append(reason_phrase(reply.status)).append("\r\nContent-Type: ").append(reply.type);
  out_head_ += "\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n";
  out_head_.append("x-request-id: ").append(book_.id()).append("\r\n");
  if (!queue_words_.empty())
    out_head_.append("x-sextant-queue: ").append(queue_words_).append("\r\n");
  if (reply.status == 401) out_head_ += "WWW-Authenticate: Bearer\r\n";
  if (reply.retry_after > 0)
    out_head_ += "Retry-After: " + std::to_string(reply.retry_after) + "\r\n";
  out_head_ += keep_ && head_.old ? "Connection: keep-alive\r\n\r\n"
               : keep_            ? "\r\n"
                                  : "Connection: close\r\n\r\n";
  if (head_.method != "HEAD") out_head_ += reply.body;
  book_.answers(reply.status, false);
}

void ClientSession::refuse(const Refusal& refusal) {
  if (refusal.status == 502)
    ++relay_.counters.lost;
  else if (refusal.status == 503)
    ++relay_.counters.unserved;
  else if (refusal.status == 408)
    ++relay_.counters.time_outs;
  else
    ++relay_.counters.refused;
  const Surface surface = fate_.path == nullptr ? Surface::OpenAi : fate_.path->surface;
  book_.failed(refusal.code);
  if (committed_) return refuse_in_stream(refusal);
  reply({.status = refusal.status,
         .body = error_body(refusal, surface),
         .retry_after = refusal.retry_after});
}

// True: the connection stays for the next request.
LoopTask<bool> ClientSession::send_reply() {
  const std::string whole = std::move(out_head_);
  const Parts parts{asio::buffer(whole)};
  const bool sent = co_await write_client(parts);
  if (sent && !body_whole_) co_await linger();
  co_return sent&& keep_;
}

// A socket that closes with unread bytes in it takes the answer along: read on for a while.
LoopTask<> ClientSession::linger() {
  client_.shutdown_send();
  enter(Stage::Linger, relay_.limits.linger);
  in_.resize(kPiece);
  for (std::size_t read = 0; read < kMostLinger;) {
    const std::size_t count = co_await read_client(in_.data(), in_.size());
    if (count == 0) break;
    read += count;
  }
  in_.clear();
}

}  // namespace sx
