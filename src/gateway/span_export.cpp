// Tries are bounded as OTLP has it: four answers mean "later", no answer means the same, every
// other refusal is final. Spans that come meanwhile wait up to a bound, then the newest are
// dropped.
#include "gateway/span_export.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "base/strings.h"
#include "diag/message.h"
#include "sys/quiet_thread.h"

namespace sx {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;  // some four thousand spans
constexpr std::size_t kBatch = 512;        // of one message: half a MiB, where 20 are taken
constexpr milliseconds kGather{1000};      // for a batch that does not fill
constexpr int kMostTries = 4;              // of one batch
constexpr milliseconds kFirstWait{500};    // then twice as long each time
constexpr milliseconds kMostWait{30'000};  // whatever the collector says
constexpr milliseconds kLastWords{2000};   // when the gateway ends

constexpr Text kRefused{"{url} answers {status}: traces are dropped",
                        "{url} 返回 {status}：链路追踪数据被丢弃"};
constexpr Text kRejected{"{url} takes only a part of the traces that it is sent",
                         "{url} 只接受了部分链路追踪数据"};

bool is_later(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// Of an answer that takes them: those that were not.
std::size_t rejected_in(const std::string& body, std::size_t of) {
  namespace json = boost::json;
  json::error_code error;
  const json::value answer = json::parse(body, error);
  if (error) return 0;
  const json::value* count = answer.find_pointer("/partialSuccess/rejectedSpans", error);
  if (error || count == nullptr) return 0;
  std::optional<std::int64_t> number;
  if (count->is_string()) number = to_integer(std::string_view(count->get_string()));
  if (count->is_int64()) number = count->get_int64();
  return number && *number > 0 ? std::min(of, static_cast<std::size_t>(*number)) : 0;
}

std::string shown_url(const std::string& url) { return url.substr(0, url.find('?')); }

}  // namespace

SpanFate fate_of_spans(const HttpAnswer* answer, int tries, std::uint64_t dice) {
  using What = SpanFate::What;
  if (answer != nullptr && answer->status >= 200 && answer->status < 300) return {};
  const bool later = answer == nullptr || is_later(answer->status);
  if (!later || tries >= kMostTries) return {.what = What::Dropped};
  if (answer != nullptr && answer->retry_after_seconds)
    return {.what = What::Again,
            .wait = std::min<milliseconds>(std::chrono::seconds(*answer->retry_after_seconds),
                                           kMostWait)};
  const milliseconds wait = kFirstWait * (1 << std::max(0, tries - 1));
  const milliseconds more{static_cast<std::int64_t>(dice % 1000) * wait.count() / 2000};
  return {.what = What::Again, .wait = std::min(wait + more, kMostWait)};
}

Result<std::unique_ptr<SpanExport>> SpanExport::begin(OtlpSettings settings) {
  SX_TRY(auto sender, open_http_sender("--otlp"));
  return std::unique_ptr<SpanExport>(new SpanExport(std::move(settings), std::move(sender)));
}

SpanExport::SpanExport(OtlpSettings settings, std::unique_ptr<HttpSender> sender)
    : settings_(std::move(settings)), sender_(std::move(sender)) {
  thread_ = quiet_thread([this] { work(); });
}

SpanExport::~SpanExport() {
  flush();
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
    ends_by_ = Clock::now() + kLastWords;
  }
  wakes_.notify_one();
  thread_.join();
}

void SpanExport::change(OtlpSettings settings) {
  wanted_ = settings.wanted();
  const std::lock_guard guard(lock_);
  settings_ = std::move(settings);
  complained_ = false;
}

void SpanExport::add(std::string span) {
  bytes_ += span.size();
  spans_.push_back(std::move(span));
}

void SpanExport::flush() {
  if (spans_.empty()) return;
  bool wake = false;
  {
    const std::lock_guard guard(lock_);
    if (waiting_bytes_ + bytes_ > kMostWaiting) {
      numbers_.dropped += spans_.size();
    } else {
      waiting_bytes_ += bytes_;
      waiting_.insert(waiting_.end(), std::make_move_iterator(spans_.begin()),
                      std::make_move_iterator(spans_.end()));
    }
    wake = waiting_.size() >= kBatch;
  }
  spans_.clear();
  bytes_ = 0;
  if (wake) wakes_.notify_one();
}

void SpanExport::work() {
  std::unique_lock guard(lock_);
  while (true) {
    wakes_.wait_for(guard, kGather, [&] { return stops_ || waiting_.size() >= kBatch; });
    const bool last = stops_;
    while (!waiting_.empty()) {
      const auto end =
          waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(kBatch, waiting_.size()));
      std::vector<std::string> batch(std::make_move_iterator(waiting_.begin()),
                                     std::make_move_iterator(end));
      waiting_.erase(waiting_.begin(), end);
      for (const std::string& span : batch) waiting_bytes_ -= span.size();
      guard.unlock();
      const std::size_t taken = send(batch);
      note(taken, batch.size() - taken);
      guard.lock();
      if (!last || Clock::now() < ends_by_) continue;
      numbers_.dropped += waiting_.size();
      waiting_.clear();
    }
    if (last) return;
  }
}

// How many were taken.
std::size_t SpanExport::send(const std::vector<std::string>& spans) {
  OtlpSettings settings;
  {
    const std::lock_guard guard(lock_);
    settings = settings_;
  }
  if (!settings.wanted()) return 0;
  const std::string to = shown_url(settings.url);
  const HttpPost post{.url = settings.url,
                      .body = spans_message(spans, settings.resource),
                      .headers = settings.headers,
                      .give_up = [this] { return over(); }};
  std::uint64_t dice = reinterpret_cast<std::uintptr_t>(this) / 64;
  for (int tries = 1;; ++tries) {
    const auto answer = sender_->post(post);
    dice = dice * 6364136223846793005U +
           static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
    const SpanFate fate = fate_of_spans(answer ? &*answer : nullptr, tries, dice >> 33U);
    const Message refused{kRefused, {{"url", to}, {"status", answer ? answer->status : 0}}};
    if (fate.what == SpanFate::What::Taken) {
      const std::size_t rejected = rejected_in(answer->body, spans.size());
      if (rejected > 0) complain({Error::Kind::Refused, in_both({kRejected, {{"url", to}}})});
      return spans.size() - rejected;
    }
    if (!answer)
      complain(answer.error());
    else if (fate.what == SpanFate::What::Dropped)
      complain({Error::Kind::Refused, in_both(refused)});
    if (fate.what == SpanFate::What::Dropped || !pause(fate.wait)) return 0;
  }
}

// False: there is no time for another try.
bool SpanExport::pause(milliseconds wait) {
  std::unique_lock guard(lock_);
  wakes_.wait_for(guard, wait, [&] { return stops_; });
  return !stops_;
}

void SpanExport::note(std::uint64_t sent, std::uint64_t dropped) {
  const std::lock_guard guard(lock_);
  numbers_.sent += sent;
  numbers_.dropped += dropped;
  if (sent > 0) complained_ = false;
}

void SpanExport::complain(const Error& error) {
  const std::lock_guard guard(lock_);
  if (!std::exchange(complained_, true)) news_ = error;
}

bool SpanExport::over() {
  const std::lock_guard guard(lock_);
  return stops_ && Clock::now() >= ends_by_;
}

SpanExport::Numbers SpanExport::numbers() {
  const std::lock_guard guard(lock_);
  return numbers_;
}

std::optional<Error> SpanExport::news() {
  const std::lock_guard guard(lock_);
  return std::exchange(news_, std::nullopt);
}

}  // namespace sx
