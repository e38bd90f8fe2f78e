// The gateway on its own: in front of engines that somebody else started.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/explain.h"
#include "gateway/link.h"
#include "gateway/otlp_settings.h"
#include "sys/tls.h"

namespace sx {

struct BackendUrl {
  std::string host;
  int port = 80;
  int weight = 1;                      // its share of the work beside that of the others
  int most = 0;                        // requests it is given at a time; 0: no limit
  std::string key_file, key_variable;  // what holds the key that it asks for; empty: see `key`
  std::string key;                     // read from there; empty: FrontAsk::backend_key
};
// "http://10.0.0.7:8000", also with /v1 behind it as clients write it, and with
// ",weight=2,concurrency=64,key-file=a.key" behind that. Usage: what is wrong.
Result<BackendUrl> read_backend(std::string_view url);

struct ListenPlace {
  std::string host;
  int port = 0;
};
// "127.0.0.1:8000", ":8000", "[::1]:8000".
Result<ListenPlace> read_listen(std::string_view place);
bool only_this_machine(std::string_view host);  // nobody from elsewhere reaches it

// "gpt-4o=Qwen/Qwen3-32B": another name and the model that is meant.
Result<std::pair<std::string, std::string>> read_alias(std::string_view text);

struct FrontAsk {
  std::vector<BackendUrl> backends;
  std::map<std::string, std::string> aliases;
  std::string default_model;  // empty: none
  RouteTimes times;
  ListenPlace listen;
  // Once it listens; the port is that of the system where 0 was asked for.
  std::function<void(const ListenPlace&)> listens;
  std::string key_file;                       // empty: nobody is asked for a key
  TlsFiles tls;                               // empty: plain HTTP
  std::string access_log;                     // empty: none; "-": standard output
  OtlpSettings otlp;                          // empty: nothing is traced
  std::string backend_key;                    // that engines without one of their own ask for
  std::function<void(const Error&)> trouble;  // while it runs
};
// Refused: the file of keys, the certificate, the log or the address cannot be had. Until it is
// asked to end, and then until its requests have ended, for half a minute at most.
Result<void> run_front(const FrontAsk& ask);

// Where one that has just begun would send a request: each backend is asked for its models first.
Result<ExplainedRoute> explain_front(const FrontAsk& ask, const RouteQuestion& question);

}  // namespace sx
