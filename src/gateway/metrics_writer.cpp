// The two formats differ in the name of a counter's family and in the last line.
#include "gateway/metrics_writer.h"

#include <charconv>

namespace sx {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

// OpenMetrics wants borders as floats.
std::string border_text(double border) {
  std::string text;
  append_number(text, border);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

void MetricsWriter::family(std::string_view name, std::string_view kind, std::string_view help) {
  name_ = name;
  counter_ = kind == "counter";
  const std::string_view total = counter_ && !open_ ? "_total" : "";
  out_.append("# HELP ").append(name).append(total).append(" ").append(help).append("\n");
  out_.append("# TYPE ").append(name).append(total).append(" ").append(kind).append("\n");
}

void MetricsWriter::sample(std::string_view suffix, Labels labels) {
  out_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [label, value] : labels) {
    if (label.empty()) continue;
    out_ += before;
    out_.append(label).append("=\"").append(value).append("\"");
    before = ',';
  }
  out_ += before == '{' ? " " : "} ";
}

void MetricsWriter::value(std::uint64_t value, Labels labels) {
  sample(counter_ ? "_total" : "", labels);
  append_number(out_, value);
  out_ += '\n';
}

void MetricsWriter::values(const Histogram& histogram,
                           std::pair<std::string_view, std::string_view> label) {
  std::uint64_t below = 0;
  const auto borders = histogram.borders();
  for (std::size_t i = 0; i <= borders.size(); ++i) {
    below += histogram.count(i);
    const std::string border = i < borders.size() ? border_text(borders[i]) : "+Inf";
    sample("_bucket", {label, {"le", border}});
    append_number(out_, below);
    out_ += '\n';
  }
  sample("_sum", {label});
  append_number(out_, histogram.sum());
  out_ += '\n';
  sample("_count", {label});
  append_number(out_, below);
  out_ += '\n';
}

std::string MetricsWriter::end() && {
  if (open_) out_ += "# EOF\n";
  return std::move(out_);
}

}  // namespace sx
