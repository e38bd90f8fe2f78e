// Before a request goes to a replica: which model is meant, and a place in the line while none of
// its replicas can be had. Nothing is sent to a client that waits, so that a refusal can still say
// so in its status; only a stream that has waited as long as clients and proxies bear silence
// begins, with comments, and then ends with an event if it must be refused.
#include <algorithm>
#include <boost/asio/basic_waitable_timer.hpp>

#include "gateway/session.h"

namespace sx {
namespace {

namespace asio = boost::asio;

using LoopTimer =
    asio::basic_waitable_timer<GatewayClock, asio::wait_traits<GatewayClock>, LoopExecutor>;

constexpr std::chrono::seconds kBeforeItGivesUp{1};  // for a refusal to reach the client

// Leaves the room however the wait ends.
class InLine {
 public:
  InLine(WaitingRoom& room, Waiting& one) : room_(room), one_(one) {}
  ~InLine() { room_.leave(one_, false, {}); }
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;

 private:
  WaitingRoom& room_;
  Waiting& one_;
};

}  // namespace

std::string ClientSession::in_chunk(std::string_view text, bool chunked) {
  if (!chunked) return std::string(text);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (std::size_t rest = text.size(); rest > 0; rest /= 16) size.insert(0, 1, kDigits[rest % 16]);
  return size + "\r\n" + std::string(text) + "\r\n";
}

std::optional<Refusal> ClientSession::find_model() {
  key_ = {};
  hints_ = hints_of(head_);
  const std::string_view type = field_value(head_.fields, "Content-Type");
  constexpr std::string_view kForm = "multipart/";
  const bool form = same_name(type.substr(0, kForm.size()), kForm);
  BodyPart in_form;
  if (form) {
    const auto part = find_form_model(body_);
    in_form = part.value_or(BodyPart{});
    keys_ = {.object = true};
    if (part) keys_.model = std::string(part->of(body_));
  } else {
    keys_ = find_body_keys(body_);
  }
  if (!keys_.object) return refused_body();
  if (!keys_.model_is_text) return refused_model_kind();
  if (!form) key_ = relay_.routing.key_of(hints_, body_, keys_, fate_.path->surface);
  const std::string_view asked = keys_.model ? std::string_view(*keys_.model) : std::string_view();
  const std::string_view wanted = !asked.empty() || form ? asked : relay_.default_model();
  model_ = relay_.meant_by(wanted);
  if (!model_.empty() && relay_.knows(model_)) {
    if (model_ == asked) return std::nullopt;
    // The head's length is made anew from the body, so nothing else has to change.
    if (form)
      put_form_model(body_, in_form, model_);
    else
      put_model(body_, keys_, model_);
    hold_body_bytes();
    return std::nullopt;
  }
  const auto known = relay_.models();
  if (!asked.empty()) {
    model_ = asked;
    return refused_model(asked, known);
  }
  if (known.size() > 1) return refused_model_missing(known);
  if (known.size() == 1) model_ = relay_.meant_by(known.front());
  return std::nullopt;
}

// A key's word holds; a client may only ask for less than its key has.
int ClientSession::priority() const {
  if (!book_.has_key()) return hints_.priority.value_or(0);
  return std::min(hints_.priority.value_or(book_.priority()), book_.priority());
}

bool ClientSession::take_replica() {
  // Nobody goes past those who wait, unless it comes before them anyway.
  const bool others =
      tried_.empty() && line_ == nullptr && relay_.waiting.goes_first(model_, priority());
  if (others) {
    full_ = true;
    return false;
  }
  const auto chosen = relay_.choose_replica(model_, key_, tried_);
  full_ = chosen.full;
  if (!chosen.replica) return false;
  replica_ = chosen.replica;
  why_ = chosen.why;
  return true;
}

// How long it may wait: as long as the gateway lets it, and no longer than its client does, which
// counts from when it asked.
std::chrono::seconds ClientSession::longest_wait() const {
  auto longest = relay_.limits.queue_wait;
  if (hints_.wait) longest = std::min(longest, *hints_.wait);
  if (hints_.patience)
    longest = std::min(longest, std::max(*hints_.patience - kBeforeItGivesUp, {}));
  return longest;
}

// Of all its waits together. A replica that worked on it in between used the client's patience up
// as well, and the time that a request may take.
GatewayClock::time_point ClientSession::last_moment() const {
  auto until = relay_.now() + relay_.limits.queue_wait;
  if (hints_.wait) until = std::min(until, relay_.now() + *hints_.wait);
  if (hints_.patience) until = std::min(until, tale_.began + *hints_.patience - kBeforeItGivesUp);
  if (relay_.limits.total.count() > 0) until = std::min(until, tale_.began + relay_.limits.total);
  return until;
}

void ClientSession::begin_wait() {
  tale_ = {
      .began = relay_.now(), .until = {}, .order = 0, .waited = {}, .again_at = {}, .news_by = {}};
}

// The replica ended under the request, or took no connection, and there is no other one: where a
// daemon starts it again, the request waits for that as it would have waited before. For some time
// the daemon may not know yet, and then tries at the same place may be in vain.
bool ClientSession::waits_for_restart() {
  const bool ended = failure_ != nullptr && failure_ != &kTooLate && failure_ != &kOverTime &&
                     failure_ != &kFull && failure_ != &kBrokenAnswer;
  const auto now = relay_.now();
  if (tale_.news_by == GatewayClock::time_point()) tale_.news_by = now + relay_.limits.news;
  tale_.again_at = now + relay_.limits.rest;
  return ended && relay_.restarts();
}

Refusal ClientSession::nobody() const {
  const std::string_view cause = relay_.cause_of(model_);
  if (!cause.empty()) return model_failed(model_, cause);
  if (replica_) return replica_failed(replica_->route.replica, *failure_, false);
  return full_ ? replicas_full(model_) : no_replica(model_);
}

// Why nobody can be had, where a wait is of no use; empty: somebody will be.
std::optional<Refusal> ClientSession::no_use_to_wait() const {
  if (full_ || relay_.comes(model_)) return std::nullopt;
  if (relay_.now() < tale_.news_by && relay_.may_be_restarted(model_)) return std::nullopt;
  return nobody();
}

// True: a replica was found.
LoopTask<bool> ClientSession::wait_for_replica() {
  const auto longest = longest_wait();
  unserved_ = no_use_to_wait();
  if (unserved_) co_return false;
  if (longest.count() == 0 || relay_.limits.queue == 0) {
    unserved_ = nobody();
    co_return false;
  }
  LoopTimer timer(relay_.loop.get_executor());
  sx::Waiting me{.model = model_, .priority = priority(), .wake = [this, &timer] {
                   timer.cancel();
                   relay_.sockets.ask_asio();
                 }};
  me.order = tale_.order;
  if (!relay_.waiting.enter(me, relay_.now())) {
    unserved_ = queue_full(relay_.waiting.size());
    co_return false;
  }
  const InLine in_line(relay_.waiting, me);
  line_ = &me;
  tale_.order = me.order;
  if (!tale_.until) tale_.until = last_moment();
  const auto until = *tale_.until;
  bool found = false;
  while (true) {
    enter_until(Stage::Waiting, until);
    timer.expires_at(GatewayClock::time_point::max());
    co_await timer.async_wait(kAwait);
    if (gone_) break;
    if (relay_.now() >= tale_.again_at) tried_.clear();
    found = take_replica();
    if (found) break;
    unserved_ = no_use_to_wait();
    if (!unserved_ && relay_.now() >= until)
      unserved_ = waited_in_vain(model_, std::chrono::round<std::chrono::seconds>(
                                             tale_.waited + (relay_.now() - me.since)));
    if (unserved_) break;
    relay_.waiting.stay(me);
  }
  note_wait(me);
  line_ = nullptr;
  relay_.waiting.leave(me, found, relay_.now());
  co_return found;
}

void ClientSession::note_wait(const sx::Waiting& me) {
  tale_.waited += std::chrono::duration_cast<std::chrono::milliseconds>(relay_.now() - me.since);
  const auto waited = tale_.waited;
  book_.waited(waited);
  queue_words_ = "place=" + std::to_string(me.place_at_first);
  if (me.estimate) queue_words_ += ";estimate_ms=" + std::to_string(me.estimate->count());
  queue_words_ += ";waited_ms=" + std::to_string(waited.count());
  // How fast the line moves says nothing where nobody comes any more.
  if (!unserved_ || unserved_->code != kQueueTimeout) return;
  const auto next = relay_.waiting.time_for(me.model, relay_.waiting.place_of(me));
  if (next)
    unserved_->retry_after =
        static_cast<int>(std::clamp<std::int64_t>(next->count() / 1000, 1, 600));
}

// A stream that waits: after a while it begins, then says from time to time that it waits.
void ClientSession::comment_while_waiting(GatewayClock::time_point now) {
  const bool due = keys_.stream && !writing_ && !gone_ &&
                   now - std::max(silent_since_, line_->since) >= relay_.limits.comment;
  if (!due) return;
  silent_since_ = now;
  const bool chunked = !head_.old;
  std::string out;
  if (!committed_) {
    keep_ = keep_ && chunked && !relay_.draining();
    out = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n";
    out.append("x-request-id: ").append(book_.id()).append("\r\nx-sextant-queue: place=");
    out += std::to_string(line_->place_at_first);
    if (line_->estimate) out += ";estimate_ms=" + std::to_string(line_->estimate->count());
    if (chunked) out += "\r\nTransfer-Encoding: chunked";
    out += keep_ ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
    committed_ = true;
    book_.answers(200, true);
  }
  const std::size_t place = relay_.waiting.place_of(*line_);
  out += in_chunk(": waiting for a replica, place " + std::to_string(place) + "\n\n", chunked);
  Parts parts{asio::buffer(out)};
  const bool whole = write_at_once(parts) && parts.front().size() == 0;
  if (whole) {
    ++relay_.counters.comments;
    return;
  }
  client_lost();  // half of it cannot be taken back
  close_client();
}

// The head of such a stream has gone long since: a replica's own is said in a comment, and what is
// no stream becomes its one event.
void ClientSession::join_begun_stream(const ResponseHead& head) {
  passing_.chunked = !head_.old;
  passing_.wraps = !passing_.events || head.status != 200;
  if (passing_.wraps) passing_.events = false;
  std::string way = ": x-sextant-route replica=" + std::to_string(replica_->route.replica);
  way.append(";why=").append(why_).append("\n: x-sextant-queue ").append(queue_words_);
  out_head_ = in_chunk(way + "\n\n", passing_.chunked);
}

// Lines would end the event: in JSON they are blanks as well.
std::string ClientSession::as_event(std::string_view payload, bool last) {
  std::string event = passing_.begun ? "" : "data: ";
  for (const char c : payload) event += c == '\n' || c == '\r' ? ' ' : c;
  if (last) event += "\n\ndata: [DONE]\n\n";
  return event;
}

void ClientSession::refuse_in_stream(const Refusal& refusal) {
  const bool chunked = !head_.old;
  out_head_ = in_chunk(error_event(refusal, fate_.path->surface), chunked);
  if (chunked) out_head_ += "0\r\n\r\n";
  keep_ = keep_ && chunked;
}

// Another one may answer in the place of one that says that it is full.
bool ClientSession::another_may_answer() {
  return fate_.path->again && tried_.size() < 2 && relay_.has_replica(model_, key_, tried_);
}

}  // namespace sx
