// `sextant smoke`: one chat through the address, as a client would send it, and what a wrong answer
// means.
#include <boost/json.hpp>
#include <chrono>

#include "base/strings.h"
#include "cli/daemon_talk.h"
#include "cli/own_certificate.h"
#include "cli/refusal_words.h"
#include "cli/tls_words.h"
#include "run/http_message.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds kLimit{120'000};  // a full queue and a long first step
constexpr std::string_view kQuestion = "Say hello in one short sentence.";

constexpr Text kNotUp{"{name} is not up", "{name} 没有在运行"};
constexpr Text kGood{"{model} answers through {address} in {seconds} s: {answer}",
                     "{model} 通过 {address} 作答，用时 {seconds} 秒：{answer}"};
constexpr Text kNothingSaid{"{model} answers with no text: finish reason {reason}",
                            "{model} 的回答没有文本：结束原因 {reason}"};
constexpr Text kRefused{"nobody listens at {address}; `sextant status{flag}` says what runs",
                        "{address} 上没有监听者；运行情况见 `sextant status{flag}`"};
constexpr Text kSilent{"no answer from {address} within {seconds} s",
                       "{address} 在 {seconds} 秒内没有应答"};
constexpr Text kNoTls{"no TLS with {address}: {why}", "与 {address} 无法建立 TLS 连接：{why}"};
constexpr Text kNoReplica{"no replica takes requests yet: {words}", "还没有副本接受请求：{words}"};
constexpr Text kNoKey{"the address asks for a key; put one of yours into SEXTANT_KEY",
                      "该地址要求密钥；把一个可用密钥放进 SEXTANT_KEY"};
constexpr Text kNoModel{"no model named {model} is served there: {words}",
                        "那里没有名为 {model} 的模型：{words}"};
constexpr Text kOther{"{address} answers {status}: {words}", "{address} 返回 {status}：{words}"};

std::string text_at(const json::value& value, std::string_view pointer) {
  json::error_code error;
  const auto* found = value.find_pointer({pointer.data(), pointer.size()}, error);
  return error || found == nullptr || !found->is_string() ? std::string()
                                                          : std::string(found->get_string());
}

struct Place {
  std::string address, host, model;
  std::string flag;  // behind a command that means the same deployment
  int port = 0;
  bool tls = false;
};

// "http://127.0.0.1:8000" and the name that the first replica answers to.
std::optional<Place> place_in(const json::object& status) {
  const json::value value(status);
  Place place{.address = text_at(value, "/address"),
              .host = "",
              .model = text_at(value, "/replicas/0/model")};
  place.tls = place.address.starts_with("https://");
  const std::string_view scheme = place.tls ? "https://" : "http://";
  const std::size_t colon = place.address.rfind(':');
  if (!place.address.starts_with(scheme) || colon <= scheme.size()) return std::nullopt;
  place.host = place.address.substr(scheme.size(), colon - scheme.size());
  const auto port = to_integer(std::string_view(place.address).substr(colon + 1));
  if (!port) return std::nullopt;
  place.port = static_cast<int>(*port);
  return place;
}

// What the answer is worth: a sentence, and whether it is good.
std::pair<Message, bool> judged(const Place& place, const HttpTold& told,
                                std::chrono::milliseconds time, Language language) {
  const std::string took = seconds_taken(time);
  if (told.how == HttpTold::How::Refused)
    return {{kRefused, {{"address", place.address}, {"flag", place.flag}}}, false};
  if (!told.why.empty())
    return {{kNoTls, {{"address", place.address}, {"why", tls_words(told.why).why}}}, false};
  if (told.how != HttpTold::How::Answered)
    return {{kSilent, {{"address", place.address}, {"seconds", took}}}, false};
  json::error_code error;
  const json::value body = json::parse(told.body, error);
  const std::string words = refusal_words(told.body, language);
  if (told.status == 200 && !error) {
    const std::string answer = shortened_answer(text_at(body, "/choices/0/message/content"));
    if (!answer.empty())
      return {{kGood,
               {{"model", place.model},
                {"address", place.address},
                {"seconds", took},
                {"answer", answer}}},
              true};
    return {{kNothingSaid,
             {{"model", place.model}, {"reason", text_at(body, "/choices/0/finish_reason")}}},
            false};
  }
  if (told.status == 401 || told.status == 403) return {{kNoKey}, false};
  if (told.status == 404) return {{kNoModel, {{"model", place.model}, {"words", words}}}, false};
  if (told.status == 503) return {{kNoReplica, {{"words", words}}}, false};
  return {{kOther, {{"address", place.address}, {"status", told.status}, {"words", words}}}, false};
}

}  // namespace

int smoke_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string name = deployment_name(arguments);
  const auto folder = state_folder(session.outside.environment, name);
  const auto status =
      folder ? ask_daemon(*folder, "GET", "/v1/status") : std::unexpected(folder.error());
  auto place = status ? place_in(status->body) : std::nullopt;
  if (none_runs(status)) {
    const Nobody told = nobody_there(*folder, session.outside.environment, name);
    session.output.trouble(trouble_line(rendered(told.message, language), language));
    return told.exit_code;
  }
  if (!place) {
    const std::string said = rendered({kNotUp, {{"name", name}}}, language);
    session.output.trouble(status ? trouble_line(said, language)
                                  : trouble_line(status.error(), language));
    return status ? kNotServing : kCouldNot;
  }
  place->flag = name_flag_of(name);
  HttpAsk ask{
      .host = place->host, .port = place->port, .method = "POST", .target = "/v1/chat/completions"};
  ask.body = json::serialize(json::object{
      {"model", place->model},
      {"max_tokens", 32},
      {"messages", json::array{json::object{{"role", "user"}, {"content", kQuestion}}}}});
  ask.bearer = session.outside.environment.get("SEXTANT_KEY").value_or("");
  ask.limit = kLimit;
  if (place->tls) ask.tls = own_certificate(*folder, *session.outside.files);
  const auto began = std::chrono::steady_clock::now();
  const HttpTold told = http_once(ask);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  const auto [message, good] = judged(*place, told, took, language);
  const std::string said = rendered(message, language);
  if (good) {
    session.output.answer(said + '\n');
    return kDone;
  }
  session.output.trouble(trouble_line(said, language));
  return kFindings;
}

}  // namespace sx
