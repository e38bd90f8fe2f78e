// An address alone gets the path of traces behind it; one that has a path is taken as it is.
#include "gateway/otlp_settings.h"

#include <algorithm>
#include <utility>

#include "base/shown_word.h"
#include "base/strings.h"
#include "diag/message.h"
#include "run/otlp_address.h"

namespace sx {
namespace {

constexpr std::string_view kTraces = "/v1/traces";
constexpr std::string_view kService = "sextant-gateway";
constexpr std::size_t kMostPairs = 64;  // headers, or attributes of who we are

constexpr Text kNotJson{
    "{variable}={protocol}: traces are sent as http/json alone; --otlp URL names an address of a "
    "collector that takes it (port 4318 by default)",
    "{variable}={protocol}：链路追踪只能以 http/json 发送；用 --otlp URL 指定采集器的 HTTP "
    "地址（默认端口 4318）"};

std::string value_of(const Variables& variables, const std::string& name) {
  return variables(name).value_or("");
}

// "%20" is a blank.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const char c = at < text.size() ? text[at] : ' ';
      return kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    const std::size_t high = digit(i + 1), low = digit(i + 2);
    const bool escaped =
        text[i] == '%' && high != std::string_view::npos && low != std::string_view::npos;
    out += escaped ? static_cast<char>(high * 16 + low) : text[i];
    i += escaped ? 2 : 0;
  }
  return out;
}

// "key=value,key2=value2", as OpenTelemetry writes headers and attributes in a variable.
std::vector<std::pair<std::string, std::string>> pairs_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty() && pairs.size() < kMostPairs) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = decoded(trimmed(pair.substr(0, equals)));
    const std::string value = decoded(trimmed(pair.substr(equals + 1)));
    const bool odd = (name + value).find_first_of("\r\n") != std::string::npos;
    if (!name.empty() && !odd) pairs.emplace_back(name, value);
  }
  return pairs;
}

Result<std::string> good_url(std::string_view url) {
  if (auto good = otlp_address_is_good(url); !good) return std::unexpected(good.error());
  return std::string(url);
}

// The variable that holds an address which cannot be used is named.
Result<std::string> url_of(std::string_view variable, std::string_view url) {
  auto good = good_url(url);
  if (good) return good;
  const std::string named(variable);
  return fail(good.error().kind, named + ": " + good.error().what,
              named + "：" + good.error().chinese);
}

// With the path of traces, where it has none of its own.
Result<std::string> with_path(std::string_view endpoint) {
  SX_TRY(std::string url, good_url(endpoint));
  const std::size_t path = url.find('/', url.find("//") + 2);
  if (path == std::string::npos) return url += kTraces;
  if (path + 1 == url.size()) return url.substr(0, path).append(kTraces);
  return url;
}

Result<std::string> url_in(const Variables& variables) {
  const auto of = [&](const std::string& name) { return value_of(variables, name); };
  const char* const whole_name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const char* const base_name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const std::string whole = of(whole_name);
  const std::string base = of(base_name);
  if (lower(of("OTEL_SDK_DISABLED")) == "true" || of("OTEL_TRACES_EXPORTER") == "none") return "";
  if (whole.empty() && base.empty()) return "";
  for (const char* name : {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}) {
    // Collectors take JSON and protobuf at the same address; gRPC has another one.
    const std::string protocol = of(name);
    if (protocol.empty() || protocol.starts_with("http/")) continue;
    return fail(Error::Kind::Unsupported,
                in_both({kNotJson, {{"variable", name}, {"protocol", shown_word(protocol)}}}));
  }
  if (!whole.empty()) return url_of(whole_name, whole);
  SX_TRY(std::string url, url_of(base_name, base));
  while (url.ends_with('/')) url.pop_back();
  return url.append(kTraces);
}

// That address, with whatever path it has.
OtlpSettings settings_to(std::string url, const Variables& variables,
                         std::optional<double> sample) {
  OtlpSettings settings{.url = std::move(url), .headers = {}, .resource = {}};
  std::string headers = value_of(variables, "OTEL_EXPORTER_OTLP_TRACES_HEADERS");
  if (headers.empty()) headers = value_of(variables, "OTEL_EXPORTER_OTLP_HEADERS");
  for (const auto& [name, value] : pairs_in(headers))
    settings.headers.push_back(name + ": " + value);
  settings.resource = pairs_in(value_of(variables, "OTEL_RESOURCE_ATTRIBUTES"));
  std::string service = value_of(variables, "OTEL_SERVICE_NAME");
  const auto named = [](const auto& pair) { return pair.first == "service.name"; };
  if (service.empty() && std::ranges::none_of(settings.resource, named)) service = kService;
  if (!service.empty()) {
    std::erase_if(settings.resource, named);
    settings.resource.emplace_back("service.name", service);
  }
  if (sample) {
    settings.sampler.ratio = *sample;
    return settings;
  }
  SamplerRead read = sampler_in(variables);
  settings.sampler = read.sampler;
  settings.note = std::move(read.note);
  return settings;
}

}  // namespace

Result<OtlpSettings> otlp_settings_at(std::string_view endpoint, const Variables& variables,
                                      std::optional<double> sample) {
  if (endpoint.empty()) return OtlpSettings{};
  SX_TRY(std::string url, with_path(endpoint));
  return settings_to(std::move(url), variables, sample);
}

Result<OtlpSettings> otlp_settings(std::string_view endpoint, const Variables& variables,
                                   std::optional<double> sample) {
  if (!endpoint.empty()) return otlp_settings_at(endpoint, variables, sample);
  SX_TRY(std::string url, url_in(variables));
  if (url.empty()) return OtlpSettings{};
  return settings_to(std::move(url), variables, sample);
}

}  // namespace sx
