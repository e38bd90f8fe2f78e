// A table of percentiles, then what is worth knowing about how they came about.
#include "cli/bench_page.h"

#include <algorithm>
#include <cmath>

#include "cli/live_page.h"
#include "cli/refusal_words.h"
#include "text/columns.h"
#include "text/table.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr double kBusyClient = 0.8;  // of a core: above it the client may be what is measured
constexpr std::size_t kMostFailures = 8;

constexpr Text kHead{
    "{users} users at {address}, {seconds} s after {warm} s of warm-up: {good} requests answered, "
    "{failed} failed",
    "{users} 个并发用户，{address}，预热 {warm} 秒后测量 {seconds} 秒：{good} 个请求成功，{failed} "
    "个失败"};
constexpr Text kTokens{"tokens a request: prompt {prompt} (asked {asked}), output {output}",
                       "每个请求的 token：提示词 {prompt}（要求 {asked}），输出 {output}"};
constexpr Text kByEvents{
    "the server does not count its tokens: each event of a stream counts as one",
    "服务端没有给出 token 数：每个流式事件按一个 token 计"};
constexpr Text kBusy{"the client itself took {part} of a core: the figures may be its own",
                     "客户端自身占用了 {part} 个核：这些数值可能反映的是客户端"};
constexpr Text kFailure{"{count} x {what}", "{count} 次：{what}"};
constexpr Text kStatus{"answered with status {status}", "以状态码 {status} 应答"};
constexpr Text kRefusal{"the first of these answers says: {words}",
                        "其中第一个这样的应答写道：{words}"};
constexpr Text kSystem{"system error {number}", "系统错误 {number}"};
constexpr Text kFirst{"first token, ms", "首 token，毫秒"};
constexpr Text kEach{"each further token, ms", "后续每 token，毫秒"};
constexpr Text kWhole{"whole answer, ms", "完整回答，毫秒"};
constexpr Text kRate{"output tokens/s", "输出 token/秒"};
constexpr Text kRequests{"requests/s", "请求/秒"};
constexpr Text kSpread{"spread", "波动"};
constexpr Text kBefore{"before", "此前"};
constexpr Text kMean{"mean", "平均"};
constexpr Text kBetter{"better", "更好"};
constexpr Text kWorse{"worse", "更差"};
constexpr Text kNone{"no difference", "没有差别"};
constexpr Text kNotKnown{"not known", "无法判断"};
constexpr Text kBecause{
    "better or worse: further apart than three standard errors of the parts of the window, and "
    "than 1 %",
    "“更好”“更差”：差距超过各时段的三倍标准误，且超过 1 %"};
constexpr Text kOther{"measured under other conditions: {what}", "两次测量的条件不同：{what}"};
constexpr Text kProgress{
    "{percent} %  {done} of {all} s, {open} open, {good} answered, {bad} failed",
    "{percent} %  {done} / {all} 秒，进行中 {open}，成功 {good}，失败 {bad}"};
constexpr Text kWarming{"warm-up, {left} s left, {open} requests open",
                        "预热，剩余 {left} 秒，进行中的请求 {open} 个"};
// What fails then fails in the window too.
constexpr Text kWarmingBadly{"warm-up, {left} s left, {open} requests open, {bad} failed",
                             "预热，剩余 {left} 秒，进行中的请求 {open} 个，失败 {bad} 个"};

// How requests end that are not answered, by the words of the record; others are the system's.
struct Ending {
  std::string_view word;
  Text text;
};
constexpr Ending kEndings[] = {
    {"no answer in time", {"no answer in time", "超时未应答"}},
    {"error in the stream", {"an error within the stream", "流中返回了错误"}},
    {"the stream was cut", {"the stream was cut", "流中途断开"}},
    {"connection refused", {"nobody listens there", "该地址上没有监听者"}},
    {"the connection was cut", {"the connection was cut", "连接中断"}},
    {"no way there", {"there is no way to that address", "无法到达该地址"}},
    {"too many connections here",
     {"this program may not open so many connections (ulimit -n)",
      "本程序不能再打开更多连接（ulimit -n）"}},
    {"no answer that is HTTP", {"an answer that is no HTTP", "应答不是 HTTP"}},
    {"TLS was refused", {"TLS was refused", "TLS 握手未成功"}},
    {"no token", {"an answer without a token", "应答中没有 token"}},
};

Both failure_words(std::string_view what) {
  constexpr std::string_view kStatusWord = "status ";
  constexpr std::string_view kSystemWord = "system error ";
  for (const Ending& one : kEndings) {
    if (one.word == what) return in_both(Message{one.text});
  }
  if (what.starts_with(kStatusWord))
    return in_both({kStatus, {{"status", what.substr(kStatusWord.size())}}});
  if (what.starts_with(kSystemWord))
    return in_both({kSystem, {{"number", what.substr(kSystemWord.size())}}});
  return {std::string(what), std::string(what)};
}

// Three figures, which is as many as a measurement has.
std::string figure(const std::optional<double>& value) {
  if (!value) return "-";
  const double size = std::abs(*value);
  const int decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const double factor = std::pow(10.0, decimals);
  std::string text = std::to_string(std::round(*value * factor) / factor);
  const std::size_t point = text.find('.');
  return decimals == 0 ? text.substr(0, point)
                       : text.substr(0, point + 1 + static_cast<std::size_t>(decimals));
}

// As it was asked for: whole seconds.
std::string whole(double seconds) { return std::to_string(std::lround(seconds)); }

std::string spread(const Figure& of) {
  if (of.slices.empty()) return "-";
  const auto [least, most] = std::ranges::minmax(of.slices);
  return figure(least) + " - " + figure(most);
}

Text word_of(Difference difference) {
  switch (difference) {
    case Difference::Better:
      return kBetter;
    case Difference::Worse:
      return kWorse;
    case Difference::None:
      return kNone;
    case Difference::Unknown:
      break;
  }
  return kNotKnown;
}

struct Line {
  Text name;
  Figure BenchFigures::* figure;
  bool percentiles, less_is_better;
};
constexpr Line kLines[] = {{kFirst, &BenchFigures::ttft_ms, true, true},
                           {kEach, &BenchFigures::tpot_ms, true, true},
                           {kWhole, &BenchFigures::latency_ms, true, true},
                           {kRate, &BenchFigures::output_tok_s, false, false},
                           {kRequests, &BenchFigures::requests_s, false, false}};

std::vector<std::vector<std::string>> rows_of(const BenchPage& page) {
  const auto say = [&](Text text) { return std::string(text.in(page.language)); };
  std::vector<std::vector<std::string>> rows{{"", say(kMean), "p50", "p90", "p99", say(kSpread)}};
  if (page.before) rows.front().insert(rows.front().end(), {say(kBefore), ""});
  for (const Line& line : kLines) {
    const Figure& now = page.now.*line.figure;
    std::vector<std::string> row{say(line.name),
                                 figure(now.mean),
                                 line.percentiles ? figure(now.p50) : "",
                                 line.percentiles ? figure(now.p90) : "",
                                 line.percentiles ? figure(now.p99) : "",
                                 spread(now)};
    if (page.before) {
      const Figure& then = (*page.before).*line.figure;
      row.push_back(figure(line.percentiles ? then.p50 : then.mean));
      row.push_back(say(word_of(difference_of(then, now, line.less_is_better))));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void add(std::string& text, const BenchPage& page, const Message& message) {
  for (const std::string& line : wrapped(printable(rendered(message, page.language)), page.width))
    text += line + '\n';
}

}  // namespace

std::string bench_page(const BenchPage& page) {
  const BenchFigures& now = page.now;
  std::string text;
  add(text, page,
      {kHead,
       {{"users", now.users},
        {"address", now.address},
        {"seconds", whole(now.seconds)},
        {"warm", whole(now.warm_up_seconds)},
        {"good", now.measured},
        {"failed", now.failed}}});
  std::size_t named = 0;
  for (const auto& [what, count] : now.failures) {
    if (++named <= kMostFailures)
      add(text, page, {kFailure, {{"count", count}, {"what", failure_words(what)}}});
  }
  if (const std::string words = refusal_words(page.refusal, page.language); !words.empty())
    add(text, page, {kRefusal, {{"words", words}}});
  if (now.measured == 0) return text;
  add(text, page,
      {kTokens,
       {{"prompt", figure(now.prompt_mean)},
        {"asked", now.prompt_tokens},
        {"output", figure(now.output_mean)}}});
  const std::vector<Align> align{Align::Left,  Align::Right, Align::Right, Align::Right,
                                 Align::Right, Align::Right, Align::Right, Align::Left};
  text += '\n' + table_within(rows_of(page), align, 0, page.width) + '\n';
  if (!now.counted_by_engine) add(text, page, {kByEvents});
  if (now.client_cpu > kBusyClient) add(text, page, {kBusy, {{"part", now.client_cpu}}});
  if (!page.before) return text;
  for (const Both& what : different_conditions(*page.before, now))
    add(text, page, {kOther, {{"what", what}}});
  add(text, page, {kBecause});
  return text;
}

std::string load_line(const LoadNow& now, const LoadAsk& ask, std::size_t width,
                      Language language) {
  constexpr std::size_t kRoomForBar = 70, kBar = 26;
  const double all = std::chrono::duration<double>(ask.window).count();
  if (now.seconds < 0)
    return rendered({now.failed == 0 ? kWarming : kWarmingBadly,
                     {{"left", static_cast<std::int64_t>(-now.seconds + 1)},
                      {"open", now.open},
                      {"bad", now.failed}}},
                    language);
  const int percent = static_cast<int>(100 * std::clamp(now.seconds / all, 0.0, 1.0));
  const std::string line =
      rendered({kProgress,
                {{"percent", percent},
                 {"done", static_cast<std::int64_t>(std::min(now.seconds, all))},
                 {"all", static_cast<std::int64_t>(all)},
                 {"open", now.open},
                 {"good", now.answered},
                 {"bad", now.failed}}},
               language);
  return width < kRoomForBar ? line : bar_of(percent, kBar) + ' ' + line;
}

}  // namespace sx
