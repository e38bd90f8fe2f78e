// Lines of the page: families, samples, histograms, in either of the two formats.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/histogram.h"

namespace sx {

class MetricsWriter {
 public:
  // A label and its value, which label_value() has escaped.
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  explicit MetricsWriter(bool open_metrics) : open_(open_metrics) {}

  // Opens a family. A counter's name goes without "_total": samples get it.
  void counter(std::string_view name, std::string_view help) { family(name, "counter", help); }
  void gauge(std::string_view name, std::string_view help) { family(name, "gauge", help); }
  void histogram(std::string_view name, std::string_view help) { family(name, "histogram", help); }
  // One value of the family that is open.
  void value(std::uint64_t value, Labels labels = {});
  void values(const Histogram& histogram, std::pair<std::string_view, std::string_view> label);
  std::string end() &&;

 private:
  void family(std::string_view name, std::string_view kind, std::string_view help);
  void sample(std::string_view suffix, Labels labels);

  bool open_;
  std::string name_;
  bool counter_ = false;
  std::string out_;
};

}  // namespace sx
