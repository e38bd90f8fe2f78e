// The clock is read when a head has come and when a piece of an answer has; nothing else costs more
// than an addition.
#include "gateway/request_book.h"

#include <algorithm>
#include <charconv>

namespace sx {
namespace {

constexpr std::string_view kEngine = "engine";  // the cause of an answer that is an error of its

bool is_id(std::string_view text, std::size_t most) {
  static constexpr std::string_view kMarks = "-_.:/+=@";
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, letter);
}

std::int64_t second_of(GatewayClock::time_point when) {
  return std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
}

std::string_view path_of(const RequestFate& fate) {
  using Kind = RequestFate::Kind;
  switch (fate.kind) {
    case Kind::Relayed:
      return fate.path->path;
    case Kind::Models:
      return "/v1/models";
    case Kind::OneModel:
      return "/v1/models/{model}";
    case Kind::Health:
      return "/health";
    case Kind::Ready:
      return "/ready";
    case Kind::Metrics:
      return "/metrics";
    case Kind::Refused:
      return "";
  }
  return "";
}

}  // namespace

void RequestBook::begin(const RequestHead& head, std::size_t head_bytes) {
  begun_ = true;
  record_ = {};
  record_.began = GatewayClock::now();
  record_.bytes_in = head_bytes;
  model_ = 0;
  guessed_ = 0;
  begin_trace(head);
  const std::string_view given = field_value(head.fields, HeadName::RequestId);
  if (is_id(given, id_.size())) {
    std::ranges::copy(given, id_.begin());
    id_size_ = given.size();
    return;
  }
  constexpr std::string_view kFront = "req-";
  std::ranges::copy(kFront, id_.begin());
  const auto end =
      std::to_chars(id_.data() + kFront.size(), id_.data() + id_.size(), books_.new_id(), 16).ptr;
  id_size_ = static_cast<std::size_t>(end - id_.data());
}

// A client that has decided not to keep its trace is obeyed, and its field goes on as it came. Of
// one that we do not keep whoever comes next is told so: it need not decide again.
void RequestBook::begin_trace(const RequestHead& head) {
  trace_.reset();
  if (!books_.traces()) return;
  trace_ = trace_in(head.fields);
  const TraceContext* asked = trace_ ? &*trace_ : nullptr;
  if (asked != nullptr && !asked->sampled() && books_.sampler.obeys_client) return trace_.reset();
  if (!trace_) trace_ = TraceContext{.trace = {books_.new_id(), books_.new_id()}};
  trace_->keep(books_.sampler.keeps(asked, trace_->trace[1]));
  trace_->span = books_.new_id();
}

std::optional<Refusal> RequestBook::admit(const RequestHead& head, const RequestFate& fate,
                                          GatewayClock::time_point now) {
  using Kind = RequestFate::Kind;
  const bool probe = fate.kind == Kind::Health || fate.kind == Kind::Ready;
  if (books_.keys.state() == GatewayKeys::State::Open || probe) return std::nullopt;
  const std::string_view key = key_in(head.fields);
  if (fate.kind == Kind::Metrics && key.empty()) return std::nullopt;  // see may_see_metrics()
  if (books_.keys.state() == GatewayKeys::State::Locked) return keys_unreadable();
  auto use = books_.keys.find(key);
  if (!use) return refused_key(!key.empty());
  if (fate.kind == Kind::Relayed) {
    if (const auto hit = limit_hit(*use, second_of(now))) return over_key_limit(use->name, *hit);
  }
  hold_ = KeyHold(std::move(use), second_of(now));
  if (head.body == BodyKind::Sized) body(head.body_bytes, true);
  return std::nullopt;
}

std::size_t RequestBook::body_limit() const {
  return has_key() ? static_cast<std::size_t>(hold_.use()->limits.body_bytes) : 0;
}

// Twice: as announced, which its key is charged at once, and as it came.
void RequestBook::body(std::uint64_t bytes, bool announced) {
  if (!announced) record_.bytes_in += bytes;
  const std::uint64_t tokens = guessed_prompt(bytes);
  if (tokens > guessed_) hold_.guess(tokens - guessed_);
  guessed_ = std::max(guessed_, tokens);
}

void RequestBook::routed(int replica, std::string_view why) {
  record_.replica = replica;
  record_.why = why;
}

void RequestBook::answers(int status, bool events) {
  record_.status = status;
  record_.stream = events;
  if (record_.cause == kEngine) record_.cause = {};  // of a replica before
  if (status >= 400) failed(kEngine);
}

void RequestBook::piece(std::string_view payload, bool last, Surface surface) {
  if (record_.stream) {
    if (!record_.cause.empty()) return;  // the event that tells of it
    const std::uint32_t count = count_events(payload);
    if (count == 0) return;
    const auto now = GatewayClock::now();
    if (record_.events == 0)
      record_.first = now;
    else
      books_.metrics.events(model_, std::chrono::duration<double>(now - record_.last).count(),
                            count);
    record_.last = now;
    record_.events += count;
    merge(record_.usage, usage_in_events(payload, surface));
    return;
  }
  if (record_.first == GatewayClock::time_point{})
    record_.first = record_.last = GatewayClock::now();
  if (last && !tail_) {
    record_.usage = usage_in(payload);
    return;
  }
  if (!tail_) tail_ = std::make_unique<AnswerTail>();
  tail_->add(payload);
}

void RequestBook::failed(std::string_view cause) {
  if (record_.cause.empty()) record_.cause = cause;
}

// What a key is charged in the end: nothing when no engine has worked on it.
std::uint64_t RequestBook::tokens() const {
  const bool worked = record_.replica >= 0 && (record_.status == 0 || record_.status < 300);
  if (!worked) return 0;
  const TokenUsage& usage = record_.usage;
  const std::uint64_t prompt = usage.prompt.value_or(guessed_);
  if (usage.answer || usage.prompt) return prompt + usage.answer.value_or(record_.events);
  return prompt + guessed_answer(record_.events, record_.bytes_out);
}

void RequestBook::end(const RequestHead& head, const RequestFate& fate, std::string_view model,
                      GatewayClock::time_point now) {
  if (!begun_) return;
  begun_ = false;
  if (tail_) {
    record_.usage = usage_in(tail_->text());
    record_.last = GatewayClock::now();
  }
  const bool timed = record_.last != GatewayClock::time_point{};
  const auto ended = timed ? record_.last : std::max(now, record_.began);
  hold_.settle(second_of(now), tokens());
  books_.metrics.ended(record_, model_, path_of(fate), ended);
  const bool kept = trace_ && trace_->sampled();
  if (books_.access_log || kept) {
    const AccessEntry entry{
        .record = record_,
        .id = id(),
        .key = has_key() ? std::string_view(hold_.use()->name) : std::string_view(),
        .method = head.method,
        .target = head.target,
        .model = model};
    books_.write(entry, ended);
    if (kept)
      books_.trace({.access = entry,
                    .trace = *trace_,
                    .path = fate.path,
                    .route = path_of(fate),
                    .scheme = books_.scheme,
                    .user_agent = field_value(head.fields, "User-Agent")},
                   ended);
  }
  hold_ = {};
  tail_.reset();
}

}  // namespace sx
