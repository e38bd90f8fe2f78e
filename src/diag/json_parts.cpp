// The pieces of a finding as JSON values, for every format that is JSON.
#include "diag/json_parts.h"

#include <cmath>

#include "base/utf8.h"
#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/fingerprint.h"
#include "diag/render.h"

namespace sx {
namespace json = boost::json;
namespace {

constexpr Language kEnglish = Language::English;

struct Typed {
  json::value operator()(std::int64_t number) const { return number; }
  json::value operator()(double number) const {
    return std::isfinite(number) ? json::value(number) : json::value(nullptr);
  }
  json::value operator()(const std::string& text) const { return json_text(text); }
  json::value operator()(Bytes bytes) const { return bytes.count(); }
  json::value operator()(Tokens tokens) const { return tokens.count(); }
  json::value operator()(Text text) const { return json_text(text.in(kEnglish)); }
  json::value operator()(const Both& words) const { return json_text(words.english); }
};

std::string_view word(Confidence confidence) {
  switch (confidence) {
    case Confidence::Certain:
      return "certain";
    case Confidence::Computed:
      return "computed";
    case Confidence::Likely:
      return "likely";
  }
  return "certain";
}

std::string_view word(Safety safety) {
  switch (safety) {
    case Safety::Safe:
      return "safe";
    case Safety::ChangesBehaviour:
      return "changes-behaviour";
    case Safety::Trades:
      return "trades";
  }
  return "changes-behaviour";
}

json::array labels_of(const Diagnostic& diagnostic, const Sources& sources) {
  json::array out;
  for (const Label& label : diagnostic.labels) {
    if (!has_place(label, sources)) continue;
    const Span span = inside(label.span, sources);
    const Place place = place_of(sources.at(span.source), span.begin);
    out.push_back(json::object{{"source", span.source},
                               {"begin", span.begin},
                               {"end", span.end},
                               {"line", place.line},
                               {"column", place.column},
                               {"primary", label.primary},
                               {"text", json_text(label.text)}});
  }
  return out;
}

json::object fix_of(const Fix& fix) {
  json::array edits;
  for (const Edit& edit : fix.edits) {
    edits.push_back(json::object{{"source", edit.span.source},
                                 {"begin", edit.span.begin},
                                 {"end", edit.span.end},
                                 {"text", json_text(edit.text)}});
  }
  json::object out{{"title", json_text(fix.title)},
                   {"safety", word(fix.safety)},
                   {"command", json_text(fix.command)},
                   {"edits", std::move(edits)}};
  if (fix.brings.empty()) return out;
  json::array brings;
  for (const Brought& brought : fix.brings)
    brings.push_back(json::object{{"code", brought.code}, {"title", json_text(brought.title)}});
  out["brings"] = std::move(brings);
  return out;
}

}  // namespace

json::string json_text(std::string_view text) {
  const std::string valid = valid_utf8(text);
  return json::string(valid.data(), valid.size());
}

json::string json_text(const Message& message) { return json_text(rendered(message, kEnglish)); }

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Advice:
      return "advice";
  }
  return "error";
}

json::object json_arguments(const Message& message) {
  json::object out;
  for (const Argument& argument : message.arguments) {
    out[argument.name] = std::visit(Typed{}, argument.value);
  }
  return out;
}

json::object json_finding(Diagnostic diagnostic, const Sources& sources, int launch, bool several) {
  diagnostic.launch = launch;
  json::array basis;
  for (const Message& message : diagnostic.basis) basis.push_back(json_text(message));
  json::array fixes;
  for (const Fix& fix : diagnostic.fixes) fixes.push_back(fix_of(fix));
  json::object out{{"code", diagnostic.code},
                   {"name", diagnostic.name},
                   {"severity", word(diagnostic.severity)},
                   {"confidence", word(diagnostic.confidence)},
                   {"title", json_text(diagnostic.title)},
                   {"arguments", json_arguments(diagnostic.title)},
                   {"labels", labels_of(diagnostic, sources)},
                   {"basis", std::move(basis)},
                   {"because", json_text(diagnostic.because)},
                   {"otherwise", json_text(diagnostic.otherwise)},
                   {"fixes", std::move(fixes)}};
  if (!diagnostic.no_fix.empty()) out["no_fix"] = json_text(diagnostic.no_fix);
  out["explain"] = explain_command(diagnostic);
  out["fingerprint"] = json_text(fingerprint(diagnostic, several));
  out["rendered"] = json_text(render_text(diagnostic, sources, Style{}));
  out["launch"] = launch;
  return out;
}

}  // namespace sx
