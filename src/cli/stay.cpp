// The loop asks the daemon and shows what it says; both ways of showing see the same answers.
#include "cli/stay.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "api/client.h"
#include "cli/daemon_talk.h"
#include "cli/live_page.h"
#include "cli/live_screen.h"
#include "cli/progress.h"
#include "run/json_fields.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLook{200};          // a person sees a change at once
constexpr milliseconds kGoneTime{180'000};  // to end what it runs when it was asked to

// A cause that is shown may be that of the try before until the one of this try is found.
constexpr milliseconds kCauseTime{30'000};

constexpr Text kGivenUp{"given up: {cause}", "已放弃：{cause}"};
constexpr Text kGoingDown{"going down when its requests have ended; Ctrl-C again ends it at once",
                          "等在途请求结束后停止；再按一次 Ctrl-C 立即停止"};
constexpr Text kStillThere{"it has not ended yet; `sextant status{flag}` says what it waits for",
                           "尚未结束；它在等什么见 `sextant status{flag}`"};

std::string cause_in(const json::object& status, Language language) {
  const auto* replicas = status.if_contains("replicas");
  if (replicas == nullptr || !replicas->is_array()) return "-";
  for (const auto& replica : replicas->get_array()) {
    const auto* cause = replica.is_object() ? replica.get_object().if_contains("cause") : nullptr;
    if (cause != nullptr && cause->is_object()) return cause_title(cause->get_object(), language);
  }
  return "-";
}

// Some serve, and nothing is on its way any more: the others have failed for good.
bool rest_has_failed(const json::object& status) {
  if (state_of(status) != "degraded") return false;
  const auto* replicas = status.if_contains("replicas");
  if (replicas == nullptr || !replicas->is_array()) return false;
  return std::ranges::all_of(replicas->get_array(), [](const json::value& value) {
    if (!value.is_object()) return false;
    const json::object& replica = value.get_object();
    const std::string state = text_in(replica, "state");
    const bool for_good = replica.contains("cause") && !replica.contains("next_try_ms") &&
                          number_in(replica, "for_ms") >= kCauseTime.count();
    return state == "ready" || (state == "failed" && for_good);
  });
}

// A line for each replica whenever anything but a clock or a count has moved.
class Lines {
 public:
  Lines(Output& output, Language language) : output_(output), language_(language) {}

  void show(const json::object& status) {
    show_notes(status);
    std::string essence = state_of(status);
    std::string lines;
    const auto* replicas = status.if_contains("replicas");
    if (replicas != nullptr && replicas->is_array()) {
      for (const auto& replica : replicas->get_array()) {
        if (!replica.is_object()) continue;
        json::object copy = replica.get_object();
        lines += replica_line(copy, language_);
        for (const char* moving :
             {"for_ms", "next_try_ms", "percent", "progress", "left_ms", "in_flight"})
          copy.erase(moving);
        essence += json::serialize(copy);
      }
    }
    if (essence == shown_) return;
    shown_ = essence;
    output_.answer(lines);
  }

  // Each once; the daemon gives the latest few.
  void show_notes(const json::object& status) {
    const auto* notes = status.if_contains("notes");
    if (notes == nullptr || !notes->is_array()) return;
    const auto& all = notes->get_array();
    const auto known = [&](const json::value& note) { return json::serialize(note) == noted_; };
    auto next = std::find_if(all.begin(), all.end(), known);
    next = next == all.end() ? all.begin() : next + 1;
    for (; next != all.end(); ++next) {
      if (!next->is_object()) continue;
      const bool chinese = language_ == Language::Chinese;
      output_.answer(printable(text_in(next->get_object(), chinese ? "message_zh" : "message")) +
                     '\n');
      noted_ = json::serialize(*next);
    }
  }

 private:
  Output& output_;
  Language language_;
  std::string shown_, noted_;
};

class Stay {
 public:
  Stay(const StayAsk& ask, Session& session)
      : ask_(ask), session_(session), lines_(session.output, ask.language) {
    if (LiveScreen::possible(session.outside.environment))
      screen_ = std::make_unique<LiveScreen>(session.output);
    colour_ =
        decide_style({.colour = ask.colour, .language = ask.language}, session.outside.environment)
            .colour;
  }

  int run() {
    const InterruptGuard interrupt(InterruptGuard::Hears::AlsoTerm);
    while (true) {
      hear(interrupt.times());
      const auto answer = ask_daemon(ask_.folder, "GET", "/v1/status");
      if (none_runs(answer) && !state_folder_taken(ask_.folder)) {
        if (interrupts_ > 0 && !interrupt.by_term_alone()) return kInterrupted;
        return given_up_ ? kFindings : kDone;
      }
      if (answer) show(answer->body);
      if (answer && state_of(answer->body) == "given-up" && !given_up_) give_up(answer->body);
      if (answer && ask_.until_serving && state_of(answer->body) == "serving") return kDone;
      if (answer && ask_.until_serving && rest_has_failed(answer->body)) return kFindings;
      if (leaving_ && Clock::now() > *leaving_) return still_there();
      std::this_thread::sleep_for(kLook);
    }
  }

 private:
  // What Ctrl-C and SIGTERM mean: the first lets requests end, the second does not wait.
  void hear(int times) {
    if (times == interrupts_) return;
    const bool first = interrupts_ == 0;
    interrupts_ = times;
    if (first && screen_ == nullptr)
      session_.output.trouble(
          trouble_line(rendered(Message{kGoingDown}, ask_.language), ask_.language));
    take_down(times > 1 ? "/v1/down?now=1" : "/v1/down");
  }

  void take_down(const std::string& target) {
    [[maybe_unused]] const auto asked = ask_daemon(ask_.folder, "POST", target);
    leaving_ = Clock::now() + kGoneTime;
  }

  void give_up(const json::object& status) {
    given_up_ = true;
    session_.output.trouble(trouble_line(
        rendered({kGivenUp, {{"cause", cause_in(status, ask_.language)}}}, ask_.language),
        ask_.language));
    screen_.reset();  // what was drawn last stays
    take_down("/v1/down");
  }

  int still_there() {
    session_.output.trouble(
        trouble_line(rendered({kStillThere, {{"flag", name_flag_of(ask_.name)}}}, ask_.language),
                     ask_.language));
    return kCouldNot;
  }

  void show(const json::object& status) {
    if (given_up_) return;
    if (screen_ == nullptr) {
      lines_.show(status);
      return;
    }
    const LiveScreen::Size size = screen_->size();
    screen_->draw(
        live_page({.status = status, .events = latest_events(), .interrupts = interrupts_},
                  {.language = ask_.language,
                   .width = size.width,
                   .height = size.height,
                   .colour = colour_}));
  }

  // As many as are shown, and a few more.
  const json::array& latest_events() {
    const auto answer = api_ask(ask_.folder.api(), "GET", "/v1/events?last=8");
    events_.clear();
    json::error_code error;
    const json::value all = answer ? json::parse(answer->body, error) : json::value(nullptr);
    if (!error && all.is_array()) events_ = all.get_array();
    return events_;
  }

  const StayAsk& ask_;
  Session& session_;
  Lines lines_;
  std::unique_ptr<LiveScreen> screen_;  // null: plain lines
  bool colour_ = false, given_up_ = false;
  int interrupts_ = 0;
  std::optional<Clock::time_point> leaving_;
  json::array events_;
};

}  // namespace

void say_notes(const StateFolder& folder, Language language, Session& session) {
  if (const auto answer = ask_daemon(folder, "GET", "/v1/status"))
    Lines(session.output, language).show_notes(answer->body);
}

int stay_beside(const StayAsk& ask, Session& session) { return Stay(ask, session).run(); }

}  // namespace sx
