// The numbers of the gateway, counted as requests end. Plain integers: one thread counts and reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/histogram.h"
#include "gateway/label_set.h"
#include "gateway/record.h"

namespace sx {

// What is counted of one model.
struct ModelNumbers {
  Histogram first_token{kFirstTokenSeconds};
  Histogram between_tokens{kPerTokenSeconds};
  Histogram waited{kRequestSeconds};  // for a replica
  Histogram whole{kRequestSeconds};   // of requests that were answered to their end
  std::uint64_t prompt_tokens = 0, answer_tokens = 0;
};

class GatewayMetrics {
 public:
  GatewayMetrics() { model(""); }

  // The number of a model, for the calls below; 0: none. Only for names that are served: clients
  // may send any.
  std::size_t model(std::string_view name);
  std::optional<std::size_t> known_model(std::string_view name) { return model_names_.find(name); }
  // Pieces of a stream: so many events came so long after those before.
  void events(std::size_t model, double seconds, std::uint32_t count) {
    if (count > 0) models_[model].between_tokens.add(seconds / count, count);
  }
  // A request has ended. `path` is a row of the table of paths or one of our own, else empty.
  void ended(const RequestRecord& record, std::size_t model, std::string_view path,
             GatewayClock::time_point now);

  struct Series {
    std::size_t model = 0, path = 0, cause = 0;
    int status = 0;
    std::uint64_t count = 0;
  };
  std::vector<Series> requests() const;  // in one order at all times
  const LabelSet& model_names() const { return model_names_; }
  const LabelSet& path_names() const { return path_names_; }
  const LabelSet& cause_names() const { return cause_names_; }
  const LabelSet& why_names() const { return why_names_; }
  const ModelNumbers& numbers(std::size_t model) const { return models_[model]; }
  std::uint64_t routed(std::size_t why) const { return routed_[why]; }

 private:
  // Each is far above what one gateway meets, so that a page stays below some MiB.
  LabelSet model_names_{64}, path_names_{64}, cause_names_{64}, why_names_{32};
  std::vector<ModelNumbers> models_;
  std::vector<std::uint64_t> routed_;
  std::unordered_map<std::uint64_t, std::uint64_t> requests_;  // by all of Series, packed
};

}  // namespace sx
