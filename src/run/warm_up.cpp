// The three kinds of request one after another, the first that is answered counts.
#include "run/warm_up.h"

#include <array>
#include <boost/json.hpp>
#include <memory>

#include "run/http_ask.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds kLimit{110'000};  // less than the supervisor's own patience
constexpr std::size_t kMostWords = 300;
constexpr std::string_view kPrompt = "Hello";

struct Trial {
  std::string_view target;
  json::object (*body)(const std::string& model);
};

json::object chat(const std::string& model) {
  return {{"model", model},
          {"max_tokens", 1},
          {"messages", json::array{json::object{{"role", "user"}, {"content", kPrompt}}}}};
}
json::object completion(const std::string& model) {
  return {{"model", model}, {"max_tokens", 1}, {"prompt", kPrompt}};
}
json::object embedding(const std::string& model) { return {{"model", model}, {"input", kPrompt}}; }

constexpr std::array<Trial, 3> kTrials{{{"/v1/chat/completions", &chat},
                                        {"/v1/completions", &completion},
                                        {"/v1/embeddings", &embedding}}};

class Warming : public std::enable_shared_from_this<Warming> {
 public:
  Warming(boost::asio::io_context& loop, EngineLaunch launch,
          std::function<void(bool, std::string)> done)
      : loop_(loop), launch_(std::move(launch)), done_(std::move(done)) {}

  void next() {
    const Trial& trial = kTrials.at(at_);
    HttpAsk ask{.host = launch_.host, .port = launch_.port, .method = "POST"};
    ask.target = trial.target;
    ask.body = json::serialize(trial.body(launch_.model));
    ask.limit = kLimit;
    ask.bearer = launch_.key;
    http_ask(loop_, std::move(ask),
             [self = shared_from_this()](HttpTold told) { self->heard(told); });
  }

 private:
  void heard(const HttpTold& told) {
    const bool answered = told.how == HttpTold::How::Answered;
    if (answered && told.status == 200) return done_(true, {});
    if (words_.empty()) words_ = answered ? told.body.substr(0, kMostWords) : "no answer";
    // Another kind of request helps only where this kind was refused.
    const bool refused = answered && told.status >= 400 && told.status != 503;
    if (refused && ++at_ < kTrials.size()) return next();
    done_(false, std::move(words_));
  }

  boost::asio::io_context& loop_;
  EngineLaunch launch_;
  std::function<void(bool, std::string)> done_;
  std::size_t at_ = 0;
  std::string words_;
};

}  // namespace

void warm_up(boost::asio::io_context& loop, const EngineLaunch& launch,
             std::function<void(bool good, std::string words)> done) {
  std::make_shared<Warming>(loop, launch, std::move(done))->next();
}

}  // namespace sx
