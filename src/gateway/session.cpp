// A request comes in, and bytes go out; every deadline is looked at here.
#include "gateway/session.h"

#include <algorithm>
#include <boost/asio/error.hpp>

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kFirstRead = 4096;  // most heads, and many whole requests

std::size_t size_of(const std::array<asio::const_buffer, 4>& parts) {
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  return size;
}

void advance(std::array<asio::const_buffer, 4>& parts, std::size_t count) {
  for (auto& part : parts) {
    const std::size_t step = std::min(count, part.size());
    part += step;
    count -= step;
  }
}

}  // namespace

ClientSession::ClientSession(Relay& relay, LoopSocket client)
    : relay_(relay), client_(std::move(client)), book_(relay.books) {}

ClientSession::~ClientSession() {
  drop_body();
  await_from(nullptr);
}

void ClientSession::enter(Stage stage, std::chrono::seconds limit) {
  enter_until(stage, relay_.now() + limit);
}

void ClientSession::enter_until(Stage stage, GatewayClock::time_point deadline) {
  stage_ = stage;
  deadline_ = deadline;
  const bool awaits = stage == Stage::FirstByte || stage == Stage::Stream;
  await_from(awaits ? replica_ : nullptr);
  relay_.look_soon(*this);
}

void ClientSession::await_from(std::shared_ptr<GatewayReplica> replica) {
  if (replica == awaited_) return;
  if (awaited_) --awaited_->awaiting;
  awaited_ = std::move(replica);
  if (awaited_) ++awaited_->awaiting;
}

void ClientSession::begin() { life_ = live(shared_from_this()).frame; }

LoopRoot ClientSession::live(std::shared_ptr<ClientSession> self) {
  try {
    co_await self->run();
  } catch (...) {
    // Memory was not there: its sockets close, and the others go on.
    self->line_ = nullptr;  // it has left
    self->cut_off();
  }
  self->relay_.forget(*self);
}

void ClientSession::abandon() {
  cut_off();
  drop_body();
  life_.destroy();
}

LoopTask<> ClientSession::run() {
  while (true) {
    const bool got = co_await read_head();
    if (!got) break;
    ++relay_.counters.requests;
    const bool again = co_await answer();
    book_.end(head_, fate_, model_, relay_.now());
    drop_body();
    if (!again || relay_.draining()) break;
  }
  book_.end(head_, fate_, model_, relay_.now());  // of a head that was none
  close_upstream();
  close_client();
}

// One read into what is left of the given room; 0: the client has gone or was too slow.
LoopTask<std::size_t> ClientSession::read_client(char* to, std::size_t most) {
  const auto [error, count] = co_await client_.read(asio::buffer(to, most));
  co_return error ? 0 : count;
}

LoopTask<bool> ClientSession::read_head() {
  const RelayLimits& limits = relay_.limits;
  enter(in_.empty() ? Stage::Idle : Stage::Head, in_.empty() ? limits.idle : limits.head_time);
  HeadEnd scan;
  while (true) {
    scan = find_head_end(in_, scan.from);
    std::optional<HeadFault> fault;
    if (scan.bare) fault = HeadFault::BareLineFeed;
    if (scan.end == 0 ? in_.size() >= limits.head : scan.end > limits.head)
      fault = HeadFault::TooLong;
    if (scan.end > 0 && !fault) {
      head_bytes_.assign(in_, 0, scan.end);
      in_.erase(0, scan.end);
      auto head = read_request_head(head_bytes_, std::move(head_.fields));
      if (head) {
        head_ = std::move(*head);
        book_.begin(head_, head_bytes_.size());
        co_return true;
      }
      fault = head.error();
    }
    if (fault) {
      head_ = {};
      book_.begin(head_, in_.size());
      fate_ = {};
      body_whole_ = false;
      refuse(refused_head(*fault));
      co_await send_reply();
      co_return false;
    }
    const std::size_t before = in_.size();
    make_room(in_, before + kFirstRead);
    const std::size_t count = co_await read_client(in_.data() + before, kFirstRead);
    in_.resize(before + count);
    if (count == 0 && late_ && before > 0) {
      head_ = {};
      book_.begin(head_, before);
      fate_ = {};
      body_whole_ = false;
      refuse(request_late());
      co_await send_reply();
    }
    if (count == 0) co_return false;
    if (before == 0) enter(Stage::Head, limits.head_time);
  }
}

LoopTask<bool> ClientSession::answer() {
  keep_ = head_.keep_alive && !relay_.draining();
  body_whole_ = head_.body == BodyKind::None;
  fate_ = fate_of(head_);
  model_.clear();
  committed_ = false;
  unserved_.reset();
  queue_words_.clear();
  began_ = relay_.now();
  // Whoever has no key is told nothing else.
  if (auto refusal = book_.admit(head_, fate_, relay_.now())) {
    refuse(*refusal);
    co_return co_await send_reply();
  }
  if (fate_.kind == RequestFate::Kind::Refused) {
    refuse(fate_.refusal);
    co_return co_await send_reply();
  }
  if (head_.body == BodyKind::Sized && head_.body_bytes > most_body()) {
    refuse(refused_size(most_body()));
    co_return co_await send_reply();
  }
  if (!body_whole_) {
    const bool read = co_await read_body();
    if (!read) co_return false;
  }
  book_.body(body_.size(), false);
  if (fate_.kind != RequestFate::Kind::Relayed) {
    answer_here();
    co_return co_await send_reply();
  }
  if (auto refusal = find_model()) {
    refuse(std::move(*refusal));
    co_return co_await send_reply();
  }
  co_return co_await forward();
}

// What goes through without waiting. False: the client has gone.
bool ClientSession::write_at_once(Parts& parts) {
  LoopError error;
  const std::size_t count = client_.write_now(parts, error);
  if (error == asio::error::would_block || error == asio::error::try_again) return true;
  if (error) return false;
  relay_.counters.bytes_out += count;
  book_.sent(count);
  advance(parts, count);
  return true;
}

LoopTask<bool> ClientSession::write_client(Parts parts) {
  if (gone_ || !write_at_once(parts)) {
    client_lost();
    co_return false;
  }
  if (size_of(parts) == 0) co_return true;
  const Stage before = stage_;
  writing_ = true;
  while (size_of(parts) > 0) {
    enter(Stage::ClientWrite, relay_.limits.unread);
    const auto [error, count] = co_await client_.write(parts);
    if (error || gone_) {
      writing_ = false;
      client_lost();
      co_return false;
    }
    relay_.counters.bytes_out += count;
    book_.sent(count);
    advance(parts, count);
  }
  writing_ = false;
  enter(before, relay_.limits.silence);
  co_return true;
}

void ClientSession::client_lost() {
  if (!gone_) ++relay_.counters.client_gone;
  book_.failed("client_gone");
  gone_ = true;
  close_upstream();
  if (line_ != nullptr) line_->wake();
}

GatewayClock::time_point ClientSession::look_at_time(GatewayClock::time_point now) {
  act_on_time(now);
  return next_look();
}

// Deadlines that have moved on since are seen then.
GatewayClock::time_point ClientSession::next_look() const {
  auto next = deadline_;
  const auto no_later = [&](GatewayClock::time_point moment) { next = std::min(next, moment); };
  if (stage_ == Stage::Stream && passing_.events) no_later(silent_since_ + relay_.limits.comment);
  if (stage_ == Stage::Waiting && keys_.stream && line_ != nullptr)
    no_later(std::max(silent_since_, line_->since) + relay_.limits.comment);
  const bool bounded = answering_ && relay_.limits.total.count() > 0;
  if (bounded && began_ != GatewayClock::time_point::max()) no_later(began_ + relay_.limits.total);
  return next;
}

void ClientSession::act_on_time(GatewayClock::time_point now) {
  if (now < deadline_) {
    if (stage_ == Stage::Stream) comment_into_silence(now);
    if (stage_ == Stage::Waiting) comment_while_waiting(now);
    if (!answering_ || relay_.limits.total.count() == 0 || now - began_ < relay_.limits.total)
      return;
    began_ = GatewayClock::time_point::max();  // once
    if (stage_ != Stage::Waiting) return upstream_failed(kOverTime);
  }
  deadline_ = GatewayClock::time_point::max();
  switch (stage_) {
    case Stage::Idle:
    case Stage::Linger:
      return close_client();
    case Stage::Head:
    case Stage::Body:
      late_ = true;
      client_.cancel();
      return;
    case Stage::ClientWrite:
      ++relay_.counters.slow_clients;
      book_.failed("client_slow");
      client_lost();
      return close_client();
    case Stage::Waiting:
      if (line_ != nullptr) line_->wake();
      return;
    case Stage::Connect:
      return upstream_failed(kNoConnection);
    case Stage::Send:
    case Stage::FirstByte:
    case Stage::Stream:
      return upstream_failed(kTooLate);
  }
}

void ClientSession::end_when_idle() {
  if (stage_ == Stage::Idle) close_client();
}

void ClientSession::cut_off() {
  client_.cut();
  close_client();
  close_upstream();
  if (line_ != nullptr) line_->wake();
}

void ClientSession::close_upstream() {
  if (upstream_) upstream_->close();
}

void ClientSession::close_client() {
  gone_ = true;
  client_.close();
}

}  // namespace sx
