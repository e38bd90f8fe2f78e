// An answer on its way back: frames are read and written anew, payloads are not touched, and of a
// stream of events only whole ones leave.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "gateway/events.h"
#include "gateway/head_lines.h"
#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::string_view kLineAndLastChunk = "\r\n0\r\n\r\n";

}  // namespace

std::string ClientSession::answer_head(const ResponseHead& head) const {
  std::string out;
  out.reserve(answer_at_ + 192);  // what is added stays below that, but for a wait's words
  out.append("HTTP/1.1 ")
      .append(std::to_string(head.status))
      .append(" ")
      .append(head.reason)
      .append("\r\n");
  FieldCopy copy(out);
  for (const HeadField& field : head.fields) {
    using enum HeadName;
    const bool ours = field.known == Route || field.known == RequestId ||
                      (field.known == ContentLength && passing_.chunked);
    if (!ours && !of_this_connection(field)) copy.add(field);
  }
  copy.end();
  out.append("x-request-id: ").append(book_.id()).append("\r\n");
  out.append("x-sextant-route: replica=").append(std::to_string(replica_->route.replica));
  out.append(";why=").append(why_).append("\r\n");
  if (!queue_words_.empty()) out.append("x-sextant-queue: ").append(queue_words_).append("\r\n");
  if (passing_.chunked) out += "Transfer-Encoding: chunked\r\n";
  if (!keep_)
    out += "Connection: close\r\n";
  else if (head_.old)
    out += "Connection: keep-alive\r\n";
  return out += "\r\n";
}

// True: the whole answer has gone to the client. False: the client has gone, or the answer was cut
// and the client told as far as can be; `begun` says which side of its first byte that was.
LoopTask<bool> ClientSession::pass_answer() {
  auto head =
      read_response_head(piece(0, answer_at_), head_.method == "HEAD", std::move(answer_room_));
  if (!head) {
    failure_ = &kBrokenAnswer;
    co_return false;
  }
  if (head->status == 429 || head->status == 503) {
    ++relay_.counters.saturated;
    relay_.said_full(*replica_, field_value(head->fields, "Retry-After"));
    if (another_may_answer()) {
      failure_ = &kFull;
      co_return false;
    }
  }
  const std::string_view encoding = field_value(head->fields, "Content-Encoding");
  const bool plain = encoding.empty() || same_name(encoding, "identity");
  passing_.kind = head->body;
  passing_.left = head->body_bytes;
  passing_.events = head->events && plain && head->body != BodyKind::None;
  const bool unsized = head->body == BodyKind::Chunked || head->body == BodyKind::UntilClose;
  passing_.chunked = unsized && !head_.old;
  passing_.reusable = head->keep_alive && replica_->route.takes;
  passing_.done = head->body == BodyKind::None;
  keep_ = keep_ && !relay_.draining() && (!unsized || passing_.chunked);
  if (committed_)
    join_begun_stream(*head);
  else
    out_head_ = answer_head(*head);
  book_.answers(head->status, passing_.events);
  enter(Stage::Stream, relay_.limits.silence);
  silent_since_ = relay_.now();
  answer_room_ = std::move(head->fields);
  co_return co_await pass_body(answer_at_);
}

// The raw bytes that lie in the buffer: the payload among them, and whether the body ends there.
ClientSession::Taken ClientSession::take_piece(std::size_t at, std::size_t size) {
  Taken taken{.at = at, .payload = size};
  std::size_t used = size;
  if (passing_.kind == BodyKind::Chunked) {
    const auto piece = passing_.chunks.read({buffer_.get() + at, size});
    taken = {.at = at + piece.at, .payload = piece.payload, .broken = passing_.chunks.broken()};
    used = piece.used;
    passing_.done = passing_.chunks.done();
  } else if (passing_.kind != BodyKind::UntilClose) {
    taken.payload = used = static_cast<std::size_t>(std::min<std::uint64_t>(passing_.left, size));
    passing_.left -= used;
    passing_.done = passing_.left == 0;
  }
  if (passing_.done && used < size) passing_.reusable = false;  // more than was announced
  return taken;
}

LoopTask<bool> ClientSession::pass_body(std::size_t raw_at) {
  std::size_t front = raw_at, held = 0, seen = 0;  // payload that has not left yet
  while (true) {
    const Taken taken = take_piece(raw_at, have_ - raw_at);
    if (held == 0)
      front = taken.at;
    else
      std::memmove(buffer_.get() + front + held, buffer_.get() + taken.at, taken.payload);
    const std::size_t whole = held + taken.payload;
    std::size_t go = whole;
    if (passing_.events && !passing_.done) {
      go = last_event_end(piece(front, whole), seen);
      const bool full = go == 0 && whole == kPieceBytes;
      if (full) go = whole;
      if (go > 0) passing_.torn = full;
    }
    if (go > 0 || passing_.done || !passing_.begun) {
      const bool passed = co_await pass_on(piece(front, go), passing_.done);
      if (!passed) co_return false;
    }
    if (passing_.done) co_return true;
    if (taken.broken) {
      failure_ = &kBrokenAnswer;
      co_return co_await cut(passing_.torn);
    }
    seen = held = whole - go;
    if (held > 0) std::memmove(buffer_.get(), buffer_.get() + front + go, held);
    front = 0;
    const auto [error, count] =
        co_await upstream_->read(asio::buffer(buffer_.get() + held, kPieceBytes - held));
    if (gone_) co_return false;
    if (error || failure_ != nullptr) {
      const bool ends = passing_.kind == BodyKind::UntilClose && error == asio::error::eof;
      if (ends) co_return co_await pass_on(piece(0, held), true);
      if (failure_ == nullptr)
        failure_ = error == asio::error::eof ? &kClosedEarly : &kResetConnection;
      co_return co_await cut(passing_.torn);
    }
    raw_at = held;
    have_ = held + count;
    replica_->bytes += count;
    replica_->last_byte = relay_.now();
    relay_.counters.bytes_in += count;
    silent_since_ = relay_.now();
    deadline_ = silent_since_ + relay_.limits.silence;
  }
}

LoopTask<bool> ClientSession::pass_on(std::string_view payload, bool last) {
  std::array<char, 20> size{};
  std::string_view before, after;
  if (!payload.empty()) book_.piece(payload, last, fate_.path->surface);
  if (!passing_.known && !payload.empty() && fate_.path->surface == Surface::Responses) {
    passing_.known = true;  // whoever goes on from this answer finds it here again
    relay_.routing.answered(payload, replica_->route.replica);
  }
  std::string wrapped;
  if (passing_.wraps) payload = wrapped = as_event(payload, last);
  if (passing_.chunked && !payload.empty()) {
    // Not by fmt, which takes a tenth of all that an event costs in here.
    char* end = std::to_chars(size.data(), size.data() + size.size(), payload.size(), 16).ptr;
    end = std::ranges::copy(std::string_view("\r\n"), end).out;
    before = {size.data(), static_cast<std::size_t>(end - size.data())};
    after = last ? kLineAndLastChunk : "\r\n";
  } else if (passing_.chunked && last) {
    after = kLastChunk;
  }
  std::string head;
  if (!passing_.begun) {
    passing_.begun = true;
    head = std::move(out_head_);
    before = before.empty() ? std::string_view(head) : std::string_view(head += before);
    drop_body();
  }
  if (passing_.events && !payload.empty()) passing_.said_done = says_done(payload);
  const Parts parts{asio::buffer(before), asio::buffer(payload), asio::buffer(after)};
  co_return co_await write_client(parts);
}

// The replica is lost within its answer. A stream is told so and ends in order; of anything else
// the client sees that it has not ended.
LoopTask<bool> ClientSession::cut(bool within_event) {
  passing_.cut = true;
  passing_.reusable = false;
  ++relay_.counters.cut;
  book_.failed("replica_lost");
  relay_.failed(*replica_);
  if (!passing_.events) {
    client_.cut();  // in TLS a goodbye would say that this was all
    close_client();
    co_return false;
  }
  const Refusal refusal = replica_lost(replica_->route.replica, *failure_);
  std::string event = within_event ? "\n\n" : "";
  // The last event that all wait for has come: only the frame's end was missing.
  if (!passing_.said_done) event += error_event(refusal, fate_.path->surface);
  const bool told = co_await pass_on(event, true);
  // In chunks it has ended in order, and the client, who was told so, may send its next request.
  if (!passing_.chunked) close_client();
  co_return told&& passing_.chunked;
}

void ClientSession::comment_into_silence(GatewayClock::time_point now) {
  if (!passing_.events || !passing_.begun || passing_.torn || writing_ || gone_) return;
  if (now - silent_since_ < relay_.limits.comment) return;
  silent_since_ = now;
  constexpr std::string_view kComment = ": keep-alive\n\n";
  constexpr std::string_view kAsChunk = "e\r\n: keep-alive\n\n\r\n";
  static_assert(kComment.size() == 0xe);
  Parts parts{asio::buffer(passing_.chunked ? kAsChunk : kComment)};
  const std::size_t whole = parts.front().size();
  if (!write_at_once(parts) || (parts.front().size() > 0 && parts.front().size() < whole)) {
    client_lost();  // half a comment cannot be taken back
    return close_client();
  }
  if (parts.front().size() == 0) ++relay_.counters.comments;
}

}  // namespace sx
