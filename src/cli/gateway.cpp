// `sextant gateway`: one OpenAI address in front of engines that run already.
#include "cli/commands.h"
#include "cli/gateway_flags.h"
#include "cli/open_address.h"
#include "gateway/front.h"

namespace sx {
namespace {

constexpr std::string_view kDefaultListen = "127.0.0.1:8000";

constexpr Text kNoBackend{"in front of what? --backend http://HOST:PORT, once for each engine",
                          "转发到哪里？每个引擎写一个 --backend http://HOST:PORT"};
constexpr Text kListens{"{scheme}://{host}:{port}/v1 in front of {count} engines; Ctrl-C ends it",
                        "{scheme}://{host}:{port}/v1，后面有 {count} 个引擎；按 Ctrl-C 结束"};
constexpr Text kOpen{"anyone who reaches {host} can use it: no key is asked for ({reason})",
                     "能访问 {host} 的人都可以使用：这里不要求密钥（{reason}）"};

}  // namespace

int gateway_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const auto could_not = [&](const Error& error) {
    session.output.trouble(trouble_line(error, language));
    return kCouldNot;
  };
  auto asked = front_ask(arguments);
  if (!asked) return could_not(asked.error());
  FrontAsk ask = std::move(*asked);
  if (ask.backends.empty()) return could_not(Error(Error::Kind::Usage, in_both({kNoBackend})));
  auto listen = read_listen(arguments.value("--listen").value_or(std::string(kDefaultListen)));
  if (!listen) return could_not(listen.error());
  ask.listen = std::move(*listen);
  ask.key_file = arguments.value("--keys").value_or("");
  ask.access_log = arguments.value("--access-log").value_or("");
  ask.trouble = [&](const Error& error) { session.output.trouble(trouble_line(error, language)); };
  if (auto taken = take_backend_keys(session.outside, ask); !taken) return could_not(taken.error());
  if (auto taken = take_tls_and_traces(arguments, session.outside.environment, ask); !taken)
    return could_not(taken.error());
  const std::string reason = arguments.value("--anyway").value_or("");
  const auto may = may_open({.host = ask.listen.host,
                             .key_file = ask.key_file,
                             .reason = reason,
                             .keys_are = "--keys FILE"});
  if (!may) return could_not(may.error());
  ask.listens = [&](const ListenPlace& place) {
    const bool six = place.host.find(':') != std::string::npos;
    const std::string host = six ? '[' + place.host + ']' : place.host;
    const Message where{kListens,
                        {{"scheme", ask.tls.wanted() ? "https" : "http"},
                         {"host", host},
                         {"port", place.port},
                         {"count", ask.backends.size()}}};
    session.output.answer(rendered(where, language) + '\n');
    if (only_this_machine(place.host) || !ask.key_file.empty()) return;
    session.output.trouble(
        trouble_line(rendered({kOpen, {{"host", host}, {"reason", reason}}}, language), language));
  };
  const auto ran = run_front(ask);
  return ran ? kDone : could_not(ran.error());
}

}  // namespace sx
