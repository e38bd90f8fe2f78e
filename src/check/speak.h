// How a rule says things: places, bases, titles, in the shape that all messages share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "check/rule.h"

namespace sx {

// The place to underline first: the fact's own. A fact without a place becomes nothing (say it in
// `basis`).
template <class T>
void mark(Diagnostic& d, const Fact<T>& fact, Message text) {
  if (const auto& span = fact.span())
    d.labels.push_back({*span, std::move(text), d.labels.empty()});
}

// A flag's use, or a whole problem, as the primary place.
void mark(Diagnostic& d, const Span& span, Message text);

// Where another number came from: a second place when the fact has one in a file, otherwise a basis
// line with the words.
template <class T>
void also(Diagnostic& d, const Fact<T>& fact, Message place_text, Message basis) {
  const auto& span = fact.span();
  if (span && d.labels.size() < 3) {
    d.labels.push_back({*span, std::move(place_text), false});
  } else {
    d.basis.push_back(std::move(basis));
  }
}

// "built-in catalogue", "config.json of the model folder" … for basis lines about the model.
Text model_origin(const ModelSpec& model);
// "GPU 0 as the driver reports it", "data sheet of the named card", "saved machine file" … for
// basis lines about GPUs.
Text host_origin(const HostSpec& host);

// "vLLM", and "vLLM 0.33.0".
std::string engine_name(const ServeSpec& serve);
std::string engine_and_version(const ServeSpec& serve);

// The launch's own name of a flag or variable that rules know by vLLM's: "--max-model-len" is
// "--context-length" to SGLang. The common name where the engine has none.
std::string own_flag(const ServeSpec& serve, std::string_view common);

// What one engine does differently from the others.
struct OfEngine {
  std::string_view engine;
  Text text;
};
// Its text for the launch's engine; `otherwise` for all that are not among them.
Text of_engine(const ServeSpec& serve, std::span<const OfEngine> texts, Text otherwise);

}  // namespace sx
