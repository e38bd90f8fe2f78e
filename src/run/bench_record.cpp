// The figures as JSON, and back: a file that may have been edited is checked like any other.
#include <boost/json.hpp>
#include <cmath>

#include "run/bench_figures.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::string_view kSchema = "sextant.bench/1";
constexpr RecordName kWhat{"the result of bench serve", "bench serve 的结果"};
constexpr std::size_t kMostSlices = 1000;

json::value optional(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object figure_json(const Figure& figure, bool percentiles) {
  json::array slices;
  for (const double slice : figure.slices) slices.emplace_back(slice);
  json::object object{{"mean", optional(figure.mean)}, {"slices", std::move(slices)}};
  if (!percentiles) return object;
  object["p50"] = optional(figure.p50);
  object["p90"] = optional(figure.p90);
  object["p99"] = optional(figure.p99);
  return object;
}

std::optional<double> number_at(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  json::error_code error;
  const double number =
      value == nullptr || !value->is_number() ? std::nan("") : value->to_number<double>(error);
  if (error || !std::isfinite(number)) return std::nullopt;
  return number;
}

Figure read_figure(JsonFields& fields, std::string_view name) {
  Figure figure;
  const auto* object = fields.object(name);
  if (object == nullptr) return figure;
  figure.mean = number_at(*object, "mean");
  figure.p50 = number_at(*object, "p50");
  figure.p90 = number_at(*object, "p90");
  figure.p99 = number_at(*object, "p99");
  JsonFields inner(*object, kWhat);
  if (const auto* slices = inner.array("slices", kMostSlices)) {
    for (const json::value& slice : *slices) {
      json::error_code error;
      const double value = slice.is_number() ? slice.to_number<double>(error) : std::nan("");
      if (error || !std::isfinite(value)) fields.wrong(name);
      figure.slices.push_back(value);
    }
  }
  if (!inner.error()) fields.wrong(name);
  return figure;
}

}  // namespace

std::string figures_json(const BenchFigures& figures, std::string_view version) {
  json::array failures;
  for (const auto& [what, count] : figures.failures)
    failures.push_back(json::object{{"what", what}, {"count", count}});
  return json::serialize(
      json::object{{"schema", kSchema},
                   {"tool", {{"name", "sextant"}, {"version", version}}},
                   {"unix_ms", figures.unix_ms},
                   {"address", figures.address},
                   {"model", figures.model},
                   {"load",
                    {{"users", figures.users},
                     {"seconds", figures.seconds},
                     {"warm_up_seconds", figures.warm_up_seconds},
                     {"prompt_tokens", figures.prompt_tokens},
                     {"output_tokens", figures.output_tokens},
                     {"seed", figures.seed}}},
                   {"requests",
                    {{"measured", figures.measured},
                     {"failed", figures.failed},
                     {"warm_up", figures.in_warm_up}}},
                   {"failures", std::move(failures)},
                   {"tokens",
                    {{"prompt_mean", optional(figures.prompt_mean)},
                     {"output_mean", optional(figures.output_mean)},
                     {"counted_by", figures.counted_by_engine ? "engine" : "events"}}},
                   {"client_cpu", figures.client_cpu},
                   {"ttft_ms", figure_json(figures.ttft_ms, true)},
                   {"tpot_ms", figure_json(figures.tpot_ms, true)},
                   {"latency_ms", figure_json(figures.latency_ms, true)},
                   {"output_tok_s", figure_json(figures.output_tok_s, false)},
                   {"requests_s", figure_json(figures.requests_s, false)}});
}

Result<BenchFigures> read_figures(std::string_view text) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40U;
  SX_TRY(const auto object, json_object(text, kWhat));
  JsonFields fields(object, kWhat);
  if (fields.text("schema") != kSchema) fields.wrong("schema");
  BenchFigures figures{
      .address = fields.text("address"), .model = fields.text("model"), .failures = {}};
  if (const auto* load = fields.object("load")) {
    JsonFields inner(*load, kWhat);
    figures.users = static_cast<int>(inner.number("users", 1, 1 << 20));
    figures.prompt_tokens = static_cast<int>(inner.number("prompt_tokens", 1, 1 << 30));
    figures.output_tokens = static_cast<int>(inner.number("output_tokens", 1, 1 << 30));
    figures.seconds = number_at(*load, "seconds").value_or(0);
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  } else {
    fields.wrong("load");
  }
  if (const auto* requests = fields.object("requests")) {
    JsonFields inner(*requests, kWhat);
    figures.measured = inner.number("measured", 0, kMany);
    figures.failed = inner.number("failed", 0, kMany);
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  } else {
    fields.wrong("requests");
  }
  figures.ttft_ms = read_figure(fields, "ttft_ms");
  figures.tpot_ms = read_figure(fields, "tpot_ms");
  figures.latency_ms = read_figure(fields, "latency_ms");
  figures.output_tok_s = read_figure(fields, "output_tok_s");
  figures.requests_s = read_figure(fields, "requests_s");
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return figures;
}

}  // namespace sx
