// Names and labels as vLLM 0.33, SGLang 0.5.23 and llama.cpp b11549 write them.
#include "fake_engine/metrics.h"

#include "fake_engine/engine.h"

namespace fake {
namespace {

class Page {
 public:
  Page(std::string prefix, std::string labels)
      : prefix_(std::move(prefix)), labels_(std::move(labels)) {}
  void add(const char* kind, const std::string& name, const std::string& value) {
    text_ += "# TYPE " + prefix_ + name + ' ' + kind + '\n';
    line(name, value);
  }
  void add(const char* kind, const std::string& name, long value) {
    add(kind, name, std::to_string(value) + ".0");
  }
  void line(const std::string& name, const std::string& value) {
    text_ += prefix_ + name + labels_ + ' ' + value + '\n';
  }
  std::string text() const { return text_; }

 private:
  std::string prefix_, labels_, text_;
};

std::string labels(const Engine& engine) {
  const std::string& name = engine.asked().name;
  switch (engine.asked().as) {
    case Speaks::Vllm:
      return R"({engine="0",model_name=")" + name + "\"}";
    case Speaks::Sglang:
      return R"({engine_type="unified",model_name=")" + name + R"(",pp_rank="0",tp_rank="0"})";
    case Speaks::LlamaCpp:
      break;
  }
  return "";
}

std::string usage(const Work& work) { return work.running > 0 ? "0.05" : "0.0"; }

std::string vllm(const Work& work, Page page) {
  page.add("gauge", "num_requests_running", work.running);
  page.add("gauge", "num_requests_waiting", 0L);
  page.add("gauge", "kv_cache_usage_perc", usage(work));
  page.add("counter", "prompt_tokens_total", work.prompt_tokens);
  page.add("counter", "generation_tokens_total", work.generated_tokens);
  page.add("counter", "request_success_total", work.done);
  page.add("histogram", "iteration_tokens_total_sum", work.generated_tokens);
  page.line("iteration_tokens_total_count", std::to_string(work.steps) + ".0");
  return page.text();
}

std::string sglang(const Work& work, Page page) {
  page.add("gauge", "num_running_reqs", work.running);
  page.add("gauge", "num_queue_reqs", 0L);
  page.add("gauge", "token_usage", usage(work));
  page.add("counter", "prompt_tokens_total", work.prompt_tokens);
  page.add("counter", "generation_tokens_total", work.generated_tokens);
  page.add("counter", "num_requests_total", work.done);
  return page.text();
}

// Generated tokens are counted when a request ends; decodes as they happen.
std::string llama(const Work& work, Page page) {
  page.add("counter", "prompt_tokens_total", std::to_string(work.prompt_tokens));
  page.add("counter", "tokens_predicted_total", std::to_string(work.ended_tokens));
  page.add("counter", "n_decode_total", std::to_string(work.steps));
  page.add("gauge", "requests_processing", std::to_string(work.running));
  page.add("gauge", "requests_deferred", "0");
  return page.text();
}

}  // namespace

std::string metrics_text(Engine& engine) {
  const Work& work = engine.work();
  switch (engine.asked().as) {
    case Speaks::Vllm:
      return vllm(work, Page("vllm:", labels(engine)));
    case Speaks::Sglang:
      return sglang(work, Page("sglang:", labels(engine)));
    case Speaks::LlamaCpp:
      break;
  }
  return llama(work, Page("llamacpp:", labels(engine)));
}

}  // namespace fake
