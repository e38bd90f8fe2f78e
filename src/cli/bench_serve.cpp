// `sextant bench serve`: what users would see of an address, and whether it changed.
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>

#include "base/strings.h"
#include "cli/bench_page.h"
#include "cli/daemon_talk.h"
#include "cli/http_place.h"
#include "cli/live_screen.h"
#include "cli/not_up.h"
#include "cli/number_flag.h"
#include "cli/own_certificate.h"
#include "cli/progress.h"
#include "cli/tls_words.h"
#include "run/http_message.h"
#include "run/json_fields.h"
#include "run/still_there.h"
#include "sys/save_file.h"
#include "sys/wall_clock.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Bytes kMostRecord = mib(16);

constexpr Text kWhat{"bench measures one thing so far: `sextant bench serve`",
                     "bench 目前只能测量一项：`sextant bench serve`"};
constexpr Text kWithout{"--url measures another address", "用 --url 测量其他地址"};
constexpr Text kNobody{"no daemon answers", "没有守护进程应答"};  // never said as it stands
constexpr Text kNoModels{
    "{address} does not say which models it serves (status {status}); --model names one",
    "{address} 没有给出它提供的模型（状态 {status}）；用 --model 指定"};
constexpr Text kNoAnswer{"{address} gave no answer that is HTTP; is it an engine's address?",
                         "{address} 没有给出 HTTP 应答；确认这是引擎的地址吗？"};
constexpr Text kNoTls{"no TLS with {address}: {why}", "与 {address} 无法建立 TLS 连接：{why}"};
constexpr Text kWhomToTrust{"no TLS with {address}: {why}; --ca FILE says whom to trust",
                            "与 {address} 无法建立 TLS 连接：{why}；用 --ca FILE 指定信任的签发者"};
constexpr Text kRefused{"nobody listens at {address}", "{address} 上没有监听者"};
constexpr Text kSaved{"Written to {file}.", "已写入 {file}。"};
constexpr Text kNothingWorked{"no request was answered to its end", "没有一个请求得到完整的回答"};

Result<void> take_url(const std::string& url, const TlsTrust& trust, LoadAsk& ask) {
  SX_TRY(const auto place, http_place(url));
  ask.host = place.host;
  ask.port = place.port;
  if (place.tls) ask.tls = trust;
  return {};
}

std::unexpected<Error> no_tls(const std::string& address, const std::string& openssl) {
  const TlsWords words = tls_words(openssl);
  return fail(Error::Kind::Refused, in_both({words.issuer_unknown ? kWhomToTrust : kNoTls,
                                             {{"address", address}, {"why", words.why}}}));
}

// The first model that is served there.
Result<std::string> model_at(const LoadAsk& ask) {
  SX_TRY(const auto host, looked_up_address(ask));
  HttpAsk question{.host = host, .port = ask.port};
  question.target = "/v1/models";
  question.bearer = ask.bearer;
  question.tls = ask.tls;
  question.name = ask.host;
  const HttpTold told = http_once(question);
  const std::string address = place_of(ask);
  if (told.how == HttpTold::How::Refused)
    return fail(Error::Kind::Refused, in_both({kRefused, {{"address", address}}}));
  if (!told.why.empty()) return no_tls(address, told.why);
  if (told.how != HttpTold::How::Answered)
    return fail(Error::Kind::Refused, in_both({kNoAnswer, {{"address", address}}}));
  json::error_code error;
  const json::value body = json::parse(told.body, error);
  const auto* id = error ? nullptr : body.find_pointer("/data/0/id", error);
  if (error || id == nullptr || !id->is_string())
    return fail(Error::Kind::Unsupported,
                in_both({kNoModels, {{"address", address}, {"status", told.status}}}));
  return std::string(id->get_string());
}

// Where to: a URL, or the deployment that runs.
Result<void> take_address(const Arguments& arguments, const Session& session, LoadAsk& ask) {
  if (const auto url = arguments.value("--url"))
    return take_url(*url, {.ca_file = arguments.value("--ca").value_or(""), .only = ""}, ask);
  const std::string name = deployment_name(arguments);
  SX_TRY(const auto folder, state_folder(session.outside.environment, name));
  const auto status = ask_daemon(folder, "GET", "/v1/status");
  if (none_runs(status)) return fail(Error::Kind::Absent, in_both({kNobody}));
  if (!status) return std::unexpected(status.error());
  const TlsTrust trust = own_certificate(folder, *session.outside.files);
  return take_url(text_in(status->body, "address"), trust, ask);
}

Result<LoadAsk> load_ask(const Arguments& arguments, const Session& session) {
  constexpr int kMostUsers = 4096, kMostTokens = 1 << 20;
  LoadAsk ask;
  ask.bearer = session.outside.environment.get("SEXTANT_KEY").value_or("");
  if (auto taken = take_address(arguments, session, ask); !taken)
    return std::unexpected(taken.error());
  SX_TRY(ask.users, number_or(arguments, {"--users", 1, kMostUsers}, 8));
  SX_TRY(const int window, number_or(arguments, {"--seconds", 1, 86'400}, 30));
  SX_TRY(const int warm_up, number_or(arguments, {"--warm-up", 0, 3600}, 5));
  ask.window = seconds(window);
  ask.warm_up = seconds(warm_up);
  SX_TRY(ask.prompt_tokens, number_or(arguments, {"--prompt-tokens", 1, kMostTokens}, 256));
  SX_TRY(ask.output_tokens, number_or(arguments, {"--output-tokens", 1, kMostTokens}, 128));
  SX_TRY(const int seed, number_or(arguments, {"--seed", 0, 1 << 30}, 1));
  ask.seed = static_cast<std::uint64_t>(seed);
  if (const auto model = arguments.value("--model")) {
    ask.model = *model;
  } else {
    SX_TRY(ask.model, model_at(ask));
  }
  return ask;
}

Result<std::optional<BenchFigures>> earlier(const Arguments& arguments, const Session& session) {
  const auto path = arguments.value("--compare");
  if (!path) return std::nullopt;
  SX_TRY(const auto text, session.outside.files->read(*path, kMostRecord));
  SX_TRY(auto figures, read_figures(text));
  return figures;
}

// One line on standard error while it lasts, where that is a terminal.
class LoadProgress {
 public:
  LoadProgress(const LoadAsk& ask, Output& output, Language language)
      : ask_(ask), output_(output), language_(language), shown_(::isatty(STDERR_FILENO) == 1) {}
  void show(const LoadNow& now) {
    if (!shown_) return;
    const std::size_t width = terminal_width_of_errors();
    const std::string line = load_line(now, ask_, width, language_);
    if (columns(line) < width) output_.trouble("\r" + padded(line, width - 1));
  }
  void clear() {
    if (shown_) output_.trouble("\r\x1b[K");
  }

 private:
  const LoadAsk& ask_;
  Output& output_;
  Language language_;
  bool shown_;
};

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

}  // namespace

int bench_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  if (arguments.words.empty() || arguments.words.front() != "serve")
    return could_not(Error(Error::Kind::Usage, in_both({kWhat})), session, language);
  const auto before = earlier(arguments, session);
  if (!before) {
    session.output.trouble(trouble_line(before.error(), language));
    return kCouldNot;
  }
  auto ask = load_ask(arguments, session);
  if (!ask && ask.error().kind == Error::Kind::Absent && !arguments.has("--url"))
    return said_not_up(deployment_name(arguments), kWithout, session, language);
  if (!ask) return could_not(ask.error(), session, language);
  const InterruptGuard interrupt;
  ask->stop = &interrupt.stop();
  LoadProgress progress(*ask, session.output, language);
  const auto told = run_load(*ask, [&](const LoadNow& now) { progress.show(now); });
  progress.clear();
  if (!told) return could_not(told.error(), session, language);
  if (told->interrupted) return kInterrupted;
  BenchFigures figures = figures_of(*ask, *told);
  figures.unix_ms = unix_ms();
  const std::string record = figures_json(figures, SEXTANT_VERSION) + '\n';
  const Style style = decide_style({.language = language}, session.outside.environment);
  session.output.answer(arguments.value("--format") == "json"
                            ? record
                            : bench_page({.now = figures,
                                          .before = *before,
                                          .language = language,
                                          .width = style.width,
                                          .refusal = told->refusal}));
  if (const auto file = arguments.value("--save")) {
    if (auto saved = save_file(*file, record); !saved)
      return could_not(saved.error(), session, language);
    if (arguments.value("--format") != "json")
      session.output.answer(rendered({kSaved, {{"file", *file}}}, language) + '\n');
  }
  if (figures.measured > 0) return kDone;
  session.output.trouble(trouble_line(rendered(Message{kNothingWorked}, language), language));
  return kFindings;
}

}  // namespace sx
