// Number formats of weights: from which version an engine takes one, and which cards can.
#include <algorithm>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/per_engine.h"
#include "knowledge/quantisation.h"

namespace sx {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  return join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

}  // namespace

std::vector<Explained> explain_quantisation(std::string_view word, Language language) {
  const std::string name = lower(word);
  std::vector<Explained> found;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr || flags->read.empty()) continue;
    const MethodSpan span = method_span(engine, name);
    const Version& asked = span.last ? *span.last : flags->newest();
    const auto* row = quantisation_in(engine, QuantisationKind::Method, name, asked);
    if (row == nullptr) continue;
    Fields fields(language);
    fields.add({"engine", "引擎"}, std::string(shown_engine(engine)));
    fields.add({"first seen in", "最早见于"}, span.first ? span.first->text() : "");
    fields.add({"last seen in", "最后见于"}, span.last ? span.last->text() : "");
    fields.add({"least compute capability", "最低计算能力"},
               row->capability ? row->capability->text() : "");
    fields.add({"activations", "激活值类型"}, joined(row->dtypes));
    fields.add({"note", "备注"}, std::string(row->note));
    fields.add({"source", "来源"}, std::string(row->source));
    found.push_back(fields.entry("quantisation", name));
  }
  return found;
}

std::vector<Explained> list_quantisation() {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr || flags->read.empty()) continue;
    for (const std::string_view method : quantisation_methods(engine, flags->newest())) {
      const auto* row = quantisation_in(engine, QuantisationKind::Method, method, flags->newest());
      rows.push_back({std::string(shown_engine(engine)), std::string(method),
                      row != nullptr && row->capability ? row->capability->text() : ""});
    }
  }
  return {listed("quantisation", rows)};
}

}  // namespace sx
