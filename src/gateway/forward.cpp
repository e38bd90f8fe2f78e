// To a replica; to another one when the first has not begun to answer.
#include <algorithm>
#include <boost/asio/write.hpp>

#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr int kMostSent = 2;  // a request is worked on by two replicas at most

const Text& why_of(const LoopError& error) {
  if (error == asio::error::connection_refused) return kRefusedConnection;
  if (error == asio::error::eof) return kClosedEarly;
  if (error == asio::error::connection_reset || error == asio::error::broken_pipe)
    return kResetConnection;
  return kNoConnection;
}

}  // namespace

std::optional<Refusal> ClientSession::find_model() {
  const std::string_view type = field_value(head_.fields, "Content-Type");
  constexpr std::string_view kForm = "multipart/";
  const bool form = same_name(type.substr(0, kForm.size()), kForm);
  if (form) {
    keys_ = {.object = true, .model = model_of_form(body_)};
  } else {
    keys_ = find_body_keys(body_);
  }
  if (!keys_.object) return refused_body();
  if (!keys_.model_is_text) return refused_model_kind();
  model_ = keys_.model.value_or("");
  if (!model_.empty() && relay_.knows(model_)) return std::nullopt;
  const auto known = relay_.models();
  if (!model_.empty()) return refused_model(model_, known);
  if (known.size() > 1) return refused_model_missing(known);
  if (known.size() == 1) model_ = known.front();
  return std::nullopt;
}

std::string ClientSession::request_head() const {
  const std::string_view connection = field_value(head_.fields, "Connection");
  std::string out;
  out.reserve(head_bytes_.size() + replica_->front.size() + 64);
  out.append(head_.method).append(" ").append(head_.target).append(" HTTP/1.1\r\n");
  out += replica_->front;
  for (const HeadField& field : head_.fields) {
    const bool ours = same_name(field.name, "Host") || same_name(field.name, "Content-Length") ||
                      same_name(field.name, "Expect") ||
                      (same_name(field.name, "Authorization") && !replica_->route.key.empty());
    if (ours || of_this_connection(field.name, connection)) continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  out += "Content-Length: " + std::to_string(body_.size()) + "\r\n\r\n";
  return out;
}

// True: the connection stays for the next request.
LoopTask<bool> ClientSession::forward() {
  std::vector<std::shared_ptr<GatewayReplica>> tried;
  int sent = 0;
  Try last = Try::NotSent;
  buffer_ = relay_.take_buffer();
  answering_ = true;
  while (true) {
    const auto chosen = relay_.choose_replica(model_, tried);
    if (!chosen.replica) break;
    if (!tried.empty()) ++relay_.counters.retries;
    replica_ = chosen.replica;
    why_ = chosen.why;
    tried.push_back(replica_);
    {
      const InFlight guard(replica_, relay_.counters, request_cost(body_.size()));
      last = co_await try_replica(!fate_.path->again);
      if (last == Try::Stale) {
        ++relay_.counters.stale;
        last = co_await try_replica(true);
      }
    }
    relay_.flight_ended(*replica_);
    if (last == Try::Answered || last == Try::ClientGone) break;
    if (failure_ != &kNoConnection) relay_.failed(*replica_);
    if (last == Try::NoAnswer && (++sent >= kMostSent || !fate_.path->again)) break;
  }
  answering_ = false;
  upstream_.reset();
  relay_.give_buffer(std::move(buffer_));
  co_return co_await come_back(last);
}

LoopTask<bool> ClientSession::come_back(Try last) {
  const auto replica = std::move(replica_);
  if (last == Try::Answered) {
    ++relay_.counters.answered;
    co_return keep_;
  }
  if (last == Try::ClientGone || gone_) co_return false;
  if (!replica) {
    refuse(no_replica(model_));
    co_return co_await send_reply();
  }
  const bool once = last == Try::NoAnswer && !fate_.path->again;
  refuse(replica_failed(replica->route.replica, *failure_, once));
  co_return co_await send_reply();
}

// One try, up to the end of the answer once it has begun. `fresh`: on a connection of its own.
LoopTask<ClientSession::Try> ClientSession::try_replica(bool fresh) {
  failure_ = nullptr;
  have_ = answer_at_ = 0;
  passing_ = {};
  upstream_ = fresh ? std::nullopt : relay_.take_pooled(*replica_);
  const bool pooled = upstream_.has_value();
  if (!pooled) {
    const bool connected = co_await connect();
    if (!connected) co_return gone_ ? Try::ClientGone : Try::NotSent;
  }
  // An engine may answer and close before it has read everything: look for its answer either way.
  const bool sent = co_await send_request();
  if (!sent && gone_) co_return Try::ClientGone;
  const bool began = co_await read_answer_head();
  if (gone_) co_return Try::ClientGone;
  if (!began) {
    const bool stale =
        pooled && have_ == 0 && (failure_ == &kClosedEarly || failure_ == &kResetConnection);
    co_return stale ? Try::Stale : Try::NoAnswer;
  }
  const bool passed = co_await pass_answer();
  if (!passed && !passing_.begun && !gone_) co_return Try::NoAnswer;
  if (passed && passing_.reusable) relay_.give_pooled(*replica_, std::move(*upstream_));
  close_upstream();
  co_return passed ? Try::Answered : Try::ClientGone;
}

LoopTask<bool> ClientSession::connect() {
  enter(Stage::Connect, relay_.limits.connect);
  upstream_.emplace(relay_.loop.get_executor());
  const auto [error] = co_await upstream_->async_connect(replica_->endpoint, kAwait);
  if (error || failure_ != nullptr || gone_) {
    if (failure_ == nullptr) failure_ = &why_of(error);
    co_return false;
  }
  LoopError ignored;
  upstream_->set_option(asio::ip::tcp::no_delay(true), ignored);
  upstream_->non_blocking(true, ignored);
  co_return true;
}

LoopTask<bool> ClientSession::send_request() {
  enter(Stage::Send, relay_.limits.send);
  const std::string head = request_head();
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(body_)};
  LoopError error;
  std::size_t count = upstream_->write_some(parts, error);
  if (error && error != asio::error::would_block && error != asio::error::try_again) {
    failure_ = &why_of(error);
    co_return false;
  }
  const std::size_t whole = head.size() + body_.size();
  while (count < whole) {
    const bool in_head = count < head.size();
    const auto rest =
        in_head ? asio::buffer(head) + count : asio::buffer(body_) + (count - head.size());
    const auto [problem, more] = co_await upstream_->async_write_some(rest, kAwait);
    if (problem || gone_ || failure_ != nullptr) {
      if (failure_ == nullptr) failure_ = &why_of(problem);
      co_return false;
    }
    count += more;
    deadline_ = relay_.now() + relay_.limits.send;
  }
  co_return true;
}

// Until the head is whole. Interim answers (1xx) are dropped.
LoopTask<bool> ClientSession::read_answer_head() {
  enter(Stage::FirstByte, relay_.limits.silence);
  HeadEnd scan;
  while (true) {
    scan = find_head_end(piece(0, have_), scan.from);
    if (scan.bare) break;
    if (scan.end > 0) {
      const bool interim = have_ > 12 && buffer_[9] == '1' && piece(0, 5) == "HTTP/";
      if (!interim) {
        answer_at_ = scan.end;
        co_return true;
      }
      have_ -= scan.end;
      std::copy_n(buffer_.get() + scan.end, have_, buffer_.get());
      scan = {};
      continue;
    }
    if (have_ == kPieceBytes) break;
    const auto [error, count] = co_await upstream_->async_read_some(
        asio::buffer(buffer_.get() + have_, kPieceBytes - have_), kAwait);
    if (error || gone_ || failure_ != nullptr) {
      if (failure_ == nullptr) failure_ = &why_of(error);
      co_return false;
    }
    have_ += count;
    replica_->bytes += count;
    relay_.counters.bytes_in += count;
  }
  failure_ = &kBrokenAnswer;
  co_return false;
}

void ClientSession::upstream_failed(const Text& why) {
  if (failure_ == nullptr) failure_ = &why;
  close_upstream();
}

void ClientSession::taken_out(const GatewayReplica& replica) {
  if (replica_.get() == &replica) upstream_failed(kTakenOut);
}

void ClientSession::watch_client() {
  if (watching_ || gone_) return;
  watching_ = true;
  client_.async_wait(TcpSocket::wait_read, [self = shared_from_this()](LoopError error) {
    self->watching_ = false;
    if (!error) self->client_speaks();
  });
}

// While it waits for an answer: a next request that comes early, or the client has gone.
void ClientSession::client_speaks() {
  if (!answering_ || gone_) return;  // the session reads for itself
  const std::size_t before = in_.size();
  if (before >= relay_.limits.ahead) return;
  in_.resize(relay_.limits.ahead);
  LoopError error;
  const std::size_t count =
      client_.read_some(asio::buffer(in_.data() + before, in_.size() - before), error);
  in_.resize(before + count);
  const bool nothing = error == asio::error::would_block || error == asio::error::try_again;
  if (error && !nothing) return client_lost();
  watch_client();
}

}  // namespace sx
