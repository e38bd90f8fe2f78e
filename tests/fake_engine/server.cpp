// Which path means what, to which engine.
#include "fake_engine/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "fake_engine/chat.h"
#include "fake_engine/engine.h"
#include "fake_engine/http.h"
#include "fake_engine/metrics.h"

namespace fake {
namespace {

using std::chrono::milliseconds;

constexpr int kBacklog = 512;
constexpr int kMostConnections = 1024;
constexpr milliseconds kProbe{1000};         // SGLang's health looks once a second for an output
constexpr milliseconds kProbeLimit{20'000};  // and gives up after so long

std::atomic<int> connections{0};

std::string models_json(const Asked& asked) {
  const char* owner = asked.as == Speaks::Vllm     ? "vllm"
                      : asked.as == Speaks::Sglang ? "sglang"
                                                   : "llamacpp";
  return R"({"object":"list","data":[{"id":")" + asked.name +
         R"(","object":"model","created":1796000000,"owned_by":")" + owner + R"(","root":")" +
         asked.model + R"(","max_model_len":4096}]})";
}

// Each engine's own meaning: a flag, a probe through the scheduler, a thread that knows nothing.
void health(Connection& connection, const Engine& engine) {
  const bool up = engine.phase() == Engine::Phase::Up;
  if (engine.sick()) {
    connection.answer(engine.asked().as == Speaks::Vllm ? 503 : 500, "");
    return;
  }
  switch (engine.asked().as) {
    case Speaks::Vllm:
      connection.answer(200, "");
      return;
    case Speaks::LlamaCpp:
      connection.answer(200, R"({"status":"ok"})");
      return;
    case Speaks::Sglang:
      break;
  }
  if (!up) {
    connection.answer(503, "");
    return;
  }
  std::this_thread::sleep_for(engine.wedged() ? kProbeLimit : kProbe);
  connection.answer(engine.wedged() ? 503 : 200, "");
}

bool allowed(const HttpRequest& request, const Asked& asked) {
  if (asked.key.empty()) return true;
  const bool numbers = request.path == "/metrics" && asked.as != Speaks::LlamaCpp;
  const bool open = request.path == "/health" || numbers ||
                    (asked.as == Speaks::Vllm && request.path.rfind("/v1", 0) != 0);
  const auto given = request.headers.find("authorization");
  return open || (given != request.headers.end() && given->second == "Bearer " + asked.key);
}

// False: nothing more is to be read from this connection.
bool take(Connection& connection, const HttpRequest& request, Engine& engine) {
  const Asked& asked = engine.asked();
  while (engine.deaf()) std::this_thread::sleep_for(milliseconds(50));
  if (asked.as == Speaks::LlamaCpp && engine.phase() == Engine::Phase::Starting)
    return connection.answer(503, loading_json());
  if (!allowed(request, asked)) return connection.answer(401, R"({"error":"Unauthorized"})");
  if (request.path == "/health") {
    health(connection, engine);
    return true;
  }
  if (request.path == "/v1/models") return connection.answer(200, models_json(asked));
  if (request.path == "/model_info" && asked.as == Speaks::Sglang)
    return connection.answer(200,
                             R"({"model_path":")" + asked.model + R"(","is_generation":true})");
  if (request.path == "/metrics") {
    if (!asked.metrics)
      return connection.answer(asked.as == Speaks::LlamaCpp ? 501 : 404, R"({"error":{}})");
    return connection.answer(200, metrics_text(engine), "", "text/plain; version=0.0.4");
  }
  const bool chat = request.path == "/v1/chat/completions";
  if (request.method == "POST" && (chat || request.path == "/v1/completions"))
    return generate(connection, request, engine, chat);
  return connection.answer(404, R"({"detail":"Not Found"})");
}

void converse(int socket, Engine& engine) {
  Connection connection(socket);
  while (const auto request = connection.next()) {
    if (!take(connection, *request, engine) || !request->keep) return;
  }
}

}  // namespace

int bound_socket(const std::string& host, int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1 &&
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  ::close(socket);
  return -1;
}

bool serve(int socket, Engine& engine) {
  if (::listen(socket, kBacklog) != 0) return false;
  std::thread([socket, &engine] {
    while (true) {
      const int peer = ::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) continue;
      if (connections >= kMostConnections) {
        ::close(peer);
        continue;
      }
      const int on = 1;
      ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ++connections;
      std::thread([peer, &engine] {
        converse(peer, engine);
        --connections;
      }).detach();
    }
  }).detach();
  return true;
}

}  // namespace fake
