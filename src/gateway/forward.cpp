// To a replica; to another one when the first has not begun to answer.
#include <algorithm>
#include <boost/asio/error.hpp>

#include "gateway/head_lines.h"
#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr int kMostSent = 2;      // a request is worked on by two replicas at most
constexpr int kMostInterim = 16;  // answers before the answer; engines send none

const Text& why_of(const LoopError& error) {
  if (error == asio::error::connection_refused) return kRefusedConnection;
  if (error == asio::error::eof) return kClosedEarly;
  if (error == asio::error::connection_reset || error == asio::error::broken_pipe)
    return kResetConnection;
  return kNoConnection;
}

}  // namespace

std::string ClientSession::request_head() const {
  std::string out;
  out.reserve(head_bytes_.size() + replica_->front.size() + 64);
  out.append(head_.method).append(" ").append(head_.target).append(" HTTP/1.1\r\n");
  out += replica_->front;
  out.append("x-request-id: ").append(book_.id()).append("\r\n");
  const TraceContext* trace = book_.trace();
  if (trace != nullptr)
    out.append(kTraceParent).append(": ").append(trace_parent(*trace)).append("\r\n");
  // What a client says of a trace that is none of its own does not go on.
  const auto of_trace = [&](const HeadField& field) {
    return trace != nullptr && (same_name(field.name, kTraceParent) ||
                                (trace->parent == 0 && same_name(field.name, "tracestate")));
  };
  // A client's key is for the gateway, where the gateway asks for one, and never goes on.
  const bool keyed = book_.has_key() || !replica_->route.key.empty();
  FieldCopy copy(out);
  for (const HeadField& field : head_.fields) {
    using enum HeadName;
    const bool ours = field.known == Host || field.known == ContentLength ||
                      field.known == Expect || field.known == RequestId ||
                      (keyed && is_key(field.known));
    if (!ours && !of_trace(field) && !of_this_connection(field)) copy.add(field);
  }
  copy.end();
  out += "Content-Length: " + std::to_string(body_.size()) + "\r\n\r\n";
  return out;
}

// True: the connection stays for the next request.
LoopTask<bool> ClientSession::forward() {
  tried_.clear();
  begin_wait();
  int sent = 0, tries = 0;
  Try last = Try::NotSent;
  buffer_ = relay_.take_buffer();
  answering_ = true;
  watch_client();
  book_.model(relay_.number_of(model_));
  while (true) {
    if (!take_replica()) {
      const bool waits = tried_.empty() || waits_for_restart();
      const bool found = waits && co_await wait_for_replica();
      if (!found && waits) replica_.reset();  // why it waited in vain is what counts
      if (!found) break;
    }
    if (tries++ > 0) {
      ++relay_.counters.retries;
      book_.tried_in_vain();
    }
    book_.routed(replica_->route.replica, why_);
    tried_.push_back(replica_);
    {
      const InFlight guard(replica_, relay_.counters, request_cost(body_.size()), relay_.now());
      last = co_await try_replica(!fate_.path->again);
      if (last == Try::Stale) {
        ++relay_.counters.stale;
        last = co_await try_replica(true);
        // Its engine has ended, perhaps of this very request: no third one is to end of it.
        if (last == Try::NotSent) last = Try::NoAnswer;
      }
    }
    relay_.flight_ended(*replica_);
    if (last == Try::Answered || last == Try::ClientGone) break;
    if (failure_ != &kNoConnection && failure_ != &kFull) relay_.failed(*replica_);
    if (failure_ == &kOverTime) break;  // and for no other one is there any time left
    if (last == Try::NoAnswer && (++sent >= kMostSent || !fate_.path->again)) break;
  }
  answering_ = false;
  await_from(nullptr);
  client_.watch(nullptr);  // the session reads for itself again
  tried_.clear();
  upstream_.reset();
  relay_.give_buffer(std::move(buffer_));
  co_return co_await come_back(last);
}

LoopTask<bool> ClientSession::come_back(Try last) {
  const auto replica = std::move(replica_);
  if (last == Try::Answered) {
    if (!passing_.cut) ++relay_.counters.answered;
    co_return keep_;
  }
  if (last == Try::ClientGone || gone_) co_return false;
  if (!replica) {
    refuse(unserved_.value_or(no_replica(model_)));
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
  upstream_ = fresh ? nullptr : relay_.take_pooled(*replica_);
  const bool pooled = upstream_ != nullptr;
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
  if (passed && passing_.reusable) relay_.give_pooled(*replica_, std::move(upstream_));
  close_upstream();
  co_return passed ? Try::Answered : Try::ClientGone;
}

LoopTask<bool> ClientSession::connect() {
  enter(Stage::Connect, relay_.limits.connect);
  upstream_ = std::make_unique<LoopSocket>(relay_.sockets);
  const auto [error, none] = co_await upstream_->connect(replica_->endpoint);
  if (error || failure_ != nullptr || gone_) {
    if (failure_ == nullptr) failure_ = &why_of(error);
    co_return false;
  }
  co_return true;
}

LoopTask<bool> ClientSession::send_request() {
  enter(Stage::Send, relay_.limits.send);
  const std::string head = request_head();
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(body_)};
  LoopError error;
  std::size_t count = upstream_->write_now(parts, error);
  if (error && error != asio::error::would_block && error != asio::error::try_again) {
    failure_ = &why_of(error);
    co_return false;
  }
  const std::size_t whole = head.size() + body_.size();
  while (count < whole) {
    const bool in_head = count < head.size();
    const auto rest =
        in_head ? asio::buffer(head) + count : asio::buffer(body_) + (count - head.size());
    const auto [problem, more] = co_await upstream_->write(rest);
    if (problem || gone_ || failure_ != nullptr) {
      if (failure_ == nullptr) failure_ = &why_of(problem);
      co_return false;
    }
    count += more;
    deadline_ = relay_.now() + relay_.limits.send;
  }
  co_return true;
}

// Until the head is whole. Interim answers (1xx) are dropped, up to a number.
LoopTask<bool> ClientSession::read_answer_head() {
  enter(Stage::FirstByte, relay_.limits.silence);
  HeadEnd scan;
  int interims = 0;
  while (true) {
    scan = find_head_end(piece(0, have_), scan.from);
    if (scan.bare) break;
    if (scan.end > 0) {
      const bool interim = have_ > 12 && buffer_[9] == '1' && piece(0, 5) == "HTTP/" &&
                           (buffer_[12] == ' ' || buffer_[12] == '\r');
      if (!interim) {
        answer_at_ = scan.end;
        co_return true;
      }
      // Nobody asked it to speak another protocol, and nothing after these words would be HTTP.
      const bool switches = piece(9, 3) == "101";
      if (switches || ++interims > kMostInterim) break;
      have_ -= scan.end;
      std::copy_n(buffer_.get() + scan.end, have_, buffer_.get());
      scan = {};
      continue;
    }
    if (have_ == kPieceBytes) break;
    const auto [error, count] =
        co_await upstream_->read(asio::buffer(buffer_.get() + have_, kPieceBytes - have_));
    if (error || gone_ || failure_ != nullptr) {
      if (failure_ == nullptr) failure_ = &why_of(error);
      co_return false;
    }
    have_ += count;
    replica_->bytes += count;
    replica_->last_byte = relay_.now();
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
  if (!gone_ && in_.size() < relay_.limits.ahead) client_.watch(this);
}

// While it waits for an answer: a next request that comes early, or the client has gone.
void ClientSession::may_read() {
  if (!answering_ || gone_) return;
  const std::size_t before = in_.size();
  in_.resize(relay_.limits.ahead);
  LoopError error;
  const std::size_t count =
      client_.read_now(asio::buffer(in_.data() + before, in_.size() - before), error);
  in_.resize(before + count);
  const bool nothing = error == asio::error::would_block || error == asio::error::try_again;
  if (error && !nothing) return client_lost();
  watch_client();
}

}  // namespace sx
