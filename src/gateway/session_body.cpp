// The body of a request, sized or in chunks: read whole, bounded, counted.
#include <algorithm>

#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kBodyStep = std::size_t{64} << 10U;  // a body's room grows by this at least
constexpr std::size_t kKeptBody = 4096;                    // room kept for the next request
// Read beyond a body's end: a read that fills its room exactly leaves open whether more has come,
// and the next one would find nothing.
constexpr std::size_t kBeyond = 1;

}  // namespace

// The next piece of it, and all of it: a byte every few seconds is no body.
void ClientSession::await_body() {
  enter_until(Stage::Body, std::min(relay_.now() + relay_.limits.body_time, body_until_));
}

LoopTask<bool> ClientSession::read_body() {
  body_until_ = relay_.now() + relay_.limits.body_whole;
  await_body();
  const bool waits = head_.expects_continue && !head_.old &&
                     (head_.body == BodyKind::Chunked || in_.size() < head_.body_bytes);
  if (waits) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const Parts parts{asio::buffer(kContinue)};
    const bool told = co_await write_client(parts);
    if (!told) co_return false;
    await_body();
  }
  if (head_.body == BodyKind::Sized) co_return co_await read_sized_body();
  co_return co_await read_chunked_body();
}

std::size_t ClientSession::most_body() const {
  const std::size_t of_key = book_.body_limit();
  return of_key == 0 ? relay_.limits.body : std::min(of_key, relay_.limits.body);
}

void ClientSession::hold_body_bytes() {
  relay_.counters.body_bytes += body_.capacity() - body_held_;
  body_held_ = body_.capacity();
}

void ClientSession::drop_body() {
  if (body_held_ == 0 && body_.empty()) return;  // also when the relay has gone before us
  body_.clear();
  if (body_.capacity() > kKeptBody) body_.shrink_to_fit();
  relay_.counters.body_bytes -= body_held_;
  body_held_ = 0;
}

// Nothing more came: the client was too slow, or it has gone.
LoopTask<bool> ClientSession::body_broke_off() {
  if (!late_) {
    ++relay_.counters.client_gone;
    book_.failed("client_gone");
    co_return false;
  }
  refuse(request_late());
  co_return co_await send_reply();
}

LoopTask<bool> ClientSession::read_sized_body() {
  const auto whole = static_cast<std::size_t>(head_.body_bytes);
  body_.reserve(std::min(whole + kBeyond, kBodyStep));
  body_.assign(in_, 0, whole);
  in_.erase(0, body_.size());
  while (body_.size() < whole) {
    const std::size_t before = body_.size();
    const std::size_t step = std::min(whole - before, std::max(kBodyStep, before));
    if (relay_.counters.body_bytes + before + step > relay_.limits.bodies) {
      refuse(no_room());
      co_return co_await send_reply();
    }
    const std::size_t most = before + step == whole ? step + kBeyond : step;
    make_room(body_, before + most);
    hold_body_bytes();
    const std::size_t count = co_await read_client(body_.data() + before, most);
    if (count > step) in_.assign(body_, whole, count - step);  // of the next request
    body_.resize(before + std::min(count, step));
    if (count == 0) co_return co_await body_broke_off();
    await_body();
  }
  body_whole_ = true;
  co_return true;
}

LoopTask<bool> ClientSession::read_chunked_body() {
  ChunkReader chunks;
  while (true) {
    const auto piece = chunks.read({in_.data(), in_.size()});
    body_.append(in_, piece.at, piece.payload);
    in_.erase(0, piece.used);
    hold_body_bytes();
    if (chunks.broken()) {
      refuse(refused_chunks());
      co_return co_await send_reply();
    }
    if (body_.size() > most_body()) {
      refuse(refused_size(most_body()));
      co_return co_await send_reply();
    }
    if (relay_.counters.body_bytes > relay_.limits.bodies) {
      refuse(no_room());
      co_return co_await send_reply();
    }
    if (chunks.done()) break;
    in_.resize(kPieceBytes);
    const std::size_t count = co_await read_client(in_.data(), kPieceBytes);
    in_.resize(count);
    if (count == 0) co_return co_await body_broke_off();
    await_body();
  }
  body_whole_ = true;
  co_return true;
}

}  // namespace sx
