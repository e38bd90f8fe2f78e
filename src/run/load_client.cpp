// One object a user: it asks, reads the answer's stream, and asks again, until the window ends.
#include "run/load_client.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <memory>
#include <optional>
#include <random>

#include "run/tls_connect.h"
#include "run/token_stream.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using beast::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

constexpr milliseconds kProgressEvery{250};
constexpr milliseconds kAfterFailure{200};  // a server that refuses is not stormed
constexpr milliseconds kGrace{60'000};      // for answers that had begun in the window
constexpr std::size_t kMostSamples = 1'000'000;
constexpr std::size_t kMostRefusal = 2048;  // its first sentence is what is shown
constexpr std::size_t kPiece = std::size_t{16} << 10U;

// How a request ended, in the record's own words: those of the system and of libraries differ.
std::string failure_word(error_code error) {
  using asio::error::basic_errors;
  if (error == beast::error::timeout || error == basic_errors::timed_out)
    return "no answer in time";
  if (error == basic_errors::connection_refused) return "connection refused";
  if (error == basic_errors::host_unreachable || error == basic_errors::network_unreachable)
    return "no way there";
  // More users than this program may have files open.
  if (error == basic_errors::no_descriptors) return "too many connections here";
  const bool cut = error == basic_errors::connection_reset || error == basic_errors::broken_pipe ||
                   error == basic_errors::connection_aborted || error == asio::error::eof ||
                   error == http::error::end_of_stream || error == http::error::partial_message;
  if (cut) return "the connection was cut";
  if (error.category() == make_error_code(http::error::bad_method).category())
    return "no answer that is HTTP";
  return "system error " + std::to_string(error.value());
}

struct Run {
  Run(asio::io_context& in, const LoadAsk& asked, asio::ip::tcp::endpoint where)
      : loop(in), ask(asked), endpoint(std::move(where)) {
    window_begins = Clock::now() + ask.warm_up;
  }
  double now() const { return Seconds(Clock::now() - window_begins).count(); }
  bool over() const { return now() >= Seconds(ask.window).count() || stopped; }

  asio::io_context& loop;
  const LoadAsk& ask;
  asio::ip::tcp::endpoint endpoint;
  std::optional<TlsContext> tls;
  Clock::time_point window_begins;
  LoadTold told;
  std::int64_t answered = 0, failed = 0;
  int open = 0, users = 0;
  bool stopped = false;
};

class User : public std::enable_shared_from_this<User> {
 public:
  User(Run& run, int number) : run_(run), number_(number), stream_(run.loop), pause_(run.loop) {}

  void next() {
    if (run_.over()) {
      close();  // in TLS its link goes on for as long as it is open
      --run_.users;
      return;
    }
    ++run_.open;
    sample_ = {};
    sample_.began = run_.now();
    tokens_.emplace();
    events_ = 0;
    in_slice_ = {};
    compose();
    stream_.expires_after(run_.ask.request_limit);
    if (connected_) return write();
    if (run_.tls) return connect_tls();
    stream_.async_connect(run_.endpoint, [self = shared_from_this()](error_code error) {
      if (error) return self->end(failure_word(error));
      error_code ignored;
      self->stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
      self->connected_ = self->fresh_ = true;
      self->write();
    });
  }

  void connect_tls() {
    tls_connect(run_.loop, {.to = run_.endpoint, .host = run_.ask.host, .context = *run_.tls},
                [self = shared_from_this()](TlsConnected told) {
                  if (!told.why.empty()) return self->end("TLS was refused");
                  if (told.error) return self->end(failure_word(told.error));
                  error_code error;  // any stream of bytes will do
                  self->stream_.socket().assign(asio::ip::tcp::v4(), told.plain.get(), error);
                  if (error) return self->end(failure_word(error));
                  [[maybe_unused]] const int owned = told.plain.release();
                  self->connected_ = self->fresh_ = true;
                  self->write();
                });
  }

  // The window is over and so is the time for what had begun in it.
  void give_up() {
    error_code ignored;
    stream_.socket().close(ignored);
    pause_.cancel();
  }

 private:
  void compose() {
    const LoadAsk& ask = run_.ask;
    const json::object body{
        {"model", ask.model},
        {"stream", true},
        {"stream_options", {{"include_usage", true}}},
        {"max_tokens", ask.output_tokens},
        {"ignore_eos", true},  // every answer is as long as was asked for
        {"temperature", 0},
        {"messages", json::array{json::object{{"role", "user"},
                                              {"content", load_prompt(ask.seed, number_, asked_++,
                                                                      ask.prompt_tokens)}}}}};
    request_ = {};
    request_.method(http::verb::post);
    request_.target("/v1/chat/completions");
    request_.version(11);
    request_.set(http::field::host, place_of(ask));
    request_.set(http::field::content_type, "application/json");
    if (!ask.bearer.empty()) request_.set(http::field::authorization, "Bearer " + ask.bearer);
    request_.body() = json::serialize(body);
    request_.prepare_payload();
  }

  void write() {
    http::async_write(stream_, request_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->broken(error);
                        self->read_head();
                      });
  }

  void read_head() {
    refusal_.clear();
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->broken(error);
                              self->fresh_ = false;
                              self->read_body();
                            });
  }

  void read_body() {
    if (parser_->is_done()) return end_of_answer();
    parser_->get().body().data = piece_.data();
    parser_->get().body().size = piece_.size();
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (error == http::error::need_buffer) error = {};
                            self->take(self->piece_.size() - self->parser_->get().body().size);
                            if (error) return self->broken(error);
                            self->read_body();
                          });
  }

  void take(std::size_t bytes) {
    if (parser_->get().result_int() != 200 && run_.told.refusal.empty())
      refusal_.append(piece_.data(), std::min(bytes, kMostRefusal - refusal_.size()));
    const int texts = tokens_->feed({piece_.data(), bytes});
    if (texts == 0) return;
    const double now = run_.now();
    if (events_ == 0) sample_.first = now;
    sample_.last = now;
    events_ += texts;
    const double part = Seconds(run_.ask.window).count() / static_cast<double>(kLoadSlices);
    if (now >= 0 && now < part * static_cast<double>(kLoadSlices))
      in_slice_.at(std::min(kLoadSlices - 1, static_cast<std::size_t>(now / part))) += texts;
  }

  // One that the other side had closed while it was idle is opened anew, once.
  void broken(error_code error) {
    const bool stale = connected_ && !fresh_ && events_ == 0 && !parser_started();
    close();
    if (stale && !run_.stopped) {
      --run_.open;
      --asked_;
      return next();
    }
    end(failure_word(error));
  }

  bool parser_started() const { return parser_ && parser_->got_some(); }

  void close() {
    error_code ignored;
    stream_.socket().close(ignored);
    connected_ = false;
    buffer_.clear();
  }

  void end_of_answer() {
    const auto status = parser_->get().result_int();
    const bool keeps = parser_->get().keep_alive();
    if (!keeps) close();
    parser_.reset();
    if (status != 200 && run_.told.refusal.empty()) run_.told.refusal = std::move(refusal_);
    if (status != 200) return end("status " + std::to_string(status));
    if (!tokens_->error().empty()) return end("error in the stream");
    if (!tokens_->done()) return end("the stream was cut");
    if (events_ == 0) return end("no token");
    end({});
  }

  void end(std::string failure) {
    --run_.open;
    parser_.reset();
    const bool good = failure.empty();
    if (!good) close();
    sample_.failure = std::move(failure);
    sample_.counted_by_engine = tokens_->output_tokens() > 0;
    sample_.tokens = sample_.counted_by_engine ? tokens_->output_tokens() : events_;
    sample_.prompt_tokens = tokens_->prompt_tokens();
    // An event may hold several tokens: what came when is by events, how many by the engine.
    const double each = events_ > 0 ? static_cast<double>(sample_.tokens) / events_ : 0;
    for (std::size_t i = 0; i < kLoadSlices; ++i)
      run_.told.slice_tokens.at(i) += each * in_slice_.at(i);
    ++(good ? run_.answered : run_.failed);
    if (run_.told.samples.size() < kMostSamples) run_.told.samples.push_back(std::move(sample_));
    if (good || run_.over()) {
      // Not from within: the stack must not grow with the answers.
      asio::post(run_.loop, [self = shared_from_this()] { self->next(); });
      return;
    }
    pause_.expires_after(kAfterFailure);
    pause_.async_wait([self = shared_from_this()](error_code) { self->next(); });
  }

  Run& run_;
  int number_;
  std::string refusal_;  // of the answer that is read, where it is one
  beast::tcp_stream stream_;
  asio::steady_timer pause_;
  beast::flat_buffer buffer_{std::size_t{1} << 20U};
  std::array<char, kPiece> piece_{};
  http::request<http::string_body> request_;
  std::optional<http::response_parser<http::buffer_body>> parser_;
  std::optional<TokenStream> tokens_;
  LoadSample sample_;
  std::array<int, kLoadSlices> in_slice_{};
  int events_ = 0, asked_ = 0;
  bool connected_ = false, fresh_ = false;
};

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Result<asio::ip::tcp::endpoint> looked_up(asio::io_context& loop, const LoadAsk& ask) {
  asio::ip::tcp::resolver resolver(loop);
  error_code error;
  const auto found = resolver.resolve(ask.host, std::to_string(ask.port), error);
  if (error || found.empty())
    return fail(Error::Kind::Absent, "there is no address for " + ask.host,
                "找不到 " + ask.host + " 的地址");
  // Of a name with both: engines and gateways listen on IPv4 unless they are told otherwise.
  const auto four =
      std::ranges::find_if(found, [](const auto& one) { return one.endpoint().address().is_v4(); });
  return (four == found.end() ? found.begin() : four)->endpoint();
}

}  // namespace

std::string place_of(const LoadAsk& ask) {
  const bool six = ask.host.find(':') != std::string::npos;
  return (six ? '[' + ask.host + ']' : ask.host) + ':' + std::to_string(ask.port);
}

Result<std::string> looked_up_address(const LoadAsk& ask) {
  asio::io_context loop;
  SX_TRY(const auto endpoint, looked_up(loop, ask));
  return endpoint.address().to_string();
}

Result<LoadTold> run_load(const LoadAsk& ask, const std::function<void(const LoadNow&)>& progress) {
  asio::io_context loop{1};
  SX_TRY(const auto endpoint, looked_up(loop, ask));
  Run run(loop, ask, endpoint);
  if (ask.tls) {
    SX_TRY(run.tls, TlsContext::of_client(*ask.tls));
  }
  std::vector<std::shared_ptr<User>> users;
  run.users = ask.users;
  for (int i = 0; i < ask.users; ++i) {
    users.push_back(std::make_shared<User>(run, i));
    users.back()->next();
  }
  const double cpu = cpu_seconds();
  const auto began = Clock::now();
  asio::steady_timer watch(loop);
  const double latest = Seconds(ask.window + kGrace).count();
  std::function<void(error_code)> look = [&](error_code) {
    const bool stop = ask.stop != nullptr && *ask.stop;
    run.told.interrupted = run.told.interrupted || stop;
    run.stopped = run.stopped || stop || run.now() > latest;
    if (run.stopped) {
      for (const auto& user : users) user->give_up();
    }
    if (progress)
      progress(
          {.seconds = run.now(), .open = run.open, .answered = run.answered, .failed = run.failed});
    if (run.users <= 0) return;
    watch.expires_after(kProgressEvery);
    watch.async_wait(look);
  };
  look({});
  loop.run();
  run.told.seconds = Seconds(ask.window).count();
  run.told.client_cpu =
      (cpu_seconds() - cpu) / std::max(0.001, Seconds(Clock::now() - began).count());
  return std::move(run.told);
}

std::string load_prompt(std::uint64_t seed, int user, int nth, int tokens) {
  // Short and common: one token each in the vocabularies of today's models.
  static constexpr std::array<std::string_view, 32> kWords{
      "time", "year",  "day",   "way",   "man",  "world", "life",  "hand",
      "part", "child", "eye",   "place", "work", "week",  "case",  "point",
      "fact", "home",  "water", "room",  "area", "money", "story", "month",
      "lot",  "right", "study", "book",  "word", "side",  "kind",  "head"};
  std::mt19937_64 dice(seed * 1'000'003 + static_cast<std::uint64_t>(user) * 10'007 +
                       static_cast<std::uint64_t>(nth));
  std::string prompt;
  for (int i = 0; i < std::max(1, tokens); ++i) {
    if (i > 0) prompt += ' ';
    prompt += kWords.at(dice() % kWords.size());
  }
  return prompt;
}

}  // namespace sx
