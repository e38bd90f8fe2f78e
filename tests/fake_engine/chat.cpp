// Tokens one after another; every way in which their stream can be bad.
#include "fake_engine/chat.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "fake_engine/engine.h"
#include "fake_engine/http.h"

namespace fake {
namespace {

using std::chrono::milliseconds;

constexpr int kUsualTokens = 16;
constexpr int kMostTokens = 100'000;
constexpr std::size_t kHugeEvent = std::size_t{4} << 20U;
constexpr std::array<const char*, 12> kWords{"the",  "model", "says",   "some", "words", "that",
                                             "mean", "very",  "little", "and",  "ends",  "soon"};

std::string token(unsigned seed, int index) {
  const auto at = (static_cast<std::size_t>(seed) * 7 + static_cast<std::size_t>(index) * 5);
  return std::string(index == 0 ? "" : " ") + kWords.at(at % kWords.size());
}

// What surrounds each event, and what the engines say differently in it.
struct Form {
  bool chat = true;
  Speaks as = Speaks::Vllm;
  std::string name, id;

  std::string chunk(const std::string& inner, const std::string& finish) const {
    return R"({"id":")" + id + R"(","object":")" +
           (chat ? "chat.completion.chunk" : "text_completion") +
           R"(","created":1796000000,"model":")" + name + R"(","choices":[{"index":0,)" + inner +
           R"(,"finish_reason":)" + (finish.empty() ? "null" : '"' + finish + '"') + "}]}";
  }
  std::string first() const {
    const char* content = as == Speaks::LlamaCpp ? "null" : R"("")";
    return chunk(std::string(R"("delta":{"role":"assistant","content":)") + content + "}", "");
  }
  std::string piece(const std::string& text, const std::string& finish) const {
    return chat ? chunk(R"("delta":{"content":")" + text + R"("})", finish)
                : chunk(R"("text":")" + text + '"', finish);
  }
  std::string whole(const std::string& text, int prompt, int tokens) const {
    const std::string choice = chat
                                   ? R"("message":{"role":"assistant","content":")" + text + R"("})"
                                   : R"("text":")" + text + '"';
    return R"({"id":")" + id + R"(","object":")" + (chat ? "chat.completion" : "text_completion") +
           R"(","created":1796000000,"model":")" + name + R"(","choices":[{"index":0,)" + choice +
           R"(,"finish_reason":"length"}],"usage":{"prompt_tokens":)" + std::to_string(prompt) +
           R"(,"completion_tokens":)" + std::to_string(tokens) + R"(,"total_tokens":)" +
           std::to_string(prompt + tokens) + "}}";
  }
};

std::string event(const std::string& json) { return "data: " + json + "\n\n"; }

// One token's work; false: this request ended the engine's answer to it.
void step(Engine& engine) {
  engine.wait_while_wedged();
  if (engine.token_time().count() > 0) std::this_thread::sleep_for(engine.token_time());
  ++engine.work().steps;
  ++engine.work().generated_tokens;
}

bool stream_badly(Connection& connection, const std::string& kind, const Form& form) {
  if (kind == "no-blank-line") return connection.piece("data: " + form.piece("x", "") + "\n");
  if (kind == "huge") return connection.piece(event(form.piece(std::string(kHugeEvent, 'x'), "")));
  if (kind == "split-utf8") {
    const std::string whole = event(form.piece("好", ""));
    const std::size_t inside = whole.find("好") + 1;
    if (!connection.piece(whole.substr(0, inside))) return false;
    std::this_thread::sleep_for(milliseconds(50));
    return connection.piece(whole.substr(inside));
  }
  if (kind == "error")
    return connection.piece(
        event(R"({"error":{"message":"EngineCore encountered an issue.","code":500}})"));
  if (kind == "reset") {
    connection.reset();
    return false;
  }
  return true;  // "no-done" is about the end
}

bool stream(Connection& connection, Engine& engine, const Form& form, int tokens,
            const Engine::Request& request) {
  const Step* bad = find_step(engine.plan(), "bad-sse");
  const std::string kind = bad == nullptr ? "" : bad->value;
  const Step* fails = request.fails;
  const int fails_at = fails == nullptr ? -1 : fails->number("tokens", 0);
  // llama.cpp sends its head with the first token; so do all of them here.
  if (fails_at == 0) engine.fail(*fails);
  step(engine);
  if (!connection.begin_stream("text/event-stream")) return false;
  if (form.chat && !connection.piece(event(form.first()))) return false;
  for (int i = 0; i < tokens; ++i) {
    if (i == fails_at) engine.fail(*fails);
    if (i == tokens / 2 && request.waits) engine.wait_at_gate("request");
    if (i == tokens / 2 && !stream_badly(connection, kind, form)) return false;
    if (i > 0) step(engine);
    const std::string finish = i + 1 == tokens ? "length" : "";
    if (!connection.piece(event(form.piece(token(engine.asked().seed, i), finish)))) return false;
  }
  if (kind != "no-done" && !connection.piece("data: [DONE]\n\n")) return false;
  return connection.end_stream();
}

bool whole(Connection& connection, Engine& engine, const Form& form, int tokens, int prompt,
           const Engine::Request& request) {
  const Step* fails = request.fails;
  const int fails_at = fails == nullptr ? -1 : fails->number("tokens", 0);
  std::string text;
  for (int i = 0; i < tokens; ++i) {
    if (i == fails_at) engine.fail(*fails);
    if (i == tokens / 2 && request.waits) engine.wait_at_gate("request");
    step(engine);
    text += token(engine.asked().seed, i);
  }
  return connection.answer(200, form.whole(text, prompt, tokens));
}

}  // namespace

std::string loading_json() {
  return R"({"error":{"message":"Loading model","type":"unavailable_error","code":503}})";
}

bool generate(Connection& connection, const HttpRequest& request, Engine& engine, bool chat) {
  const Asked& asked = engine.asked();
  if (engine.phase() == Engine::Phase::Ending)
    return connection.answer(503, R"({"error":{"message":"server shutting down","code":503}})");
  const std::string model = request.member("model");
  if (asked.as == Speaks::Vllm && !model.empty() && model != asked.name)
    return connection.answer(
        404, R"({"error":{"message":"The model `)" + model +
                 R"(` does not exist.","type":"NotFoundError","param":"model","code":404}})");
  if (const Step* busy = find_step(engine.plan(), "busy")) {
    const std::string wait = busy->key("retry-after", "");
    return connection.answer(std::atoi(busy->value.c_str()),
                             R"({"error":{"message":"queue is full","code":)" + busy->value + "}}",
                             wait.empty() ? "" : "retry-after: " + wait + "\r\n");
  }
  const auto begun = engine.begin_request();
  const int prompt = static_cast<int>(request.body.size() / 4) + 1;
  engine.work().prompt_tokens += prompt;
  std::string most = request.member("max_tokens");
  if (most.empty()) most = request.member("max_completion_tokens");
  const int tokens =
      most.empty() ? kUsualTokens : std::clamp(std::atoi(most.c_str()), 1, kMostTokens);
  engine.wait_while_wedged();
  const Form form{
      .chat = chat,
      .as = asked.as,
      .name = asked.as == Speaks::Vllm || model.empty() ? asked.name : model,
      .id = "chatcmpl-" + std::to_string(asked.seed) + '-' + std::to_string(begun.number)};
  const bool good = request.member("stream") == "true"
                        ? stream(connection, engine, form, tokens, begun)
                        : whole(connection, engine, form, tokens, prompt, begun);
  engine.end_request(tokens);
  return good;
}

}  // namespace fake
