// Whether a model's folder brings a tokenizer and a chat template.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gather/model_fields.h"
#include "gather/model_parts.h"
#include "gather/model_places.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr Bytes kLimit =
    mib(16);  // a list of added tokens has been seen in it, never more than MiBs
constexpr std::string_view kConfig = "tokenizer_config.json";

// Every name under which a vocabulary has been seen, and code that may bring one of its own.
bool is_tokenizer(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kBegins{
      "tokenizer", "tokenization", "vocab", "merges", "tekken", "spiece", "sentencepiece", "bpe"};
  const std::string plain = lower(name);
  if (plain == kConfig) return false;  // settings of a tokenizer, no vocabulary
  return plain.ends_with(".tiktoken") || plain.ends_with(".model") ||
         std::ranges::any_of(kBegins,
                             [&plain](std::string_view word) { return plain.starts_with(word); });
}

bool is_template(const std::string& name) {
  return name.starts_with("chat_template") || name == "additional_chat_templates" ||
         name.ends_with(".jinja") || name == "tekken.json";
}

}  // namespace

void read_tokenizer(ModelSpec& model, Sources& sources, const Files& files,
                    const std::string& folder) {
  const auto names = files.list(folder);
  if (!names) return;
  const bool some = std::ranges::any_of(*names, is_tokenizer);
  model.tokenizer = {some, Origin::Config};
  if (std::ranges::any_of(*names, is_template)) {
    model.chat_template = {true, Origin::Config};
    return;
  }
  const std::string path = joined_path(folder, kConfig);
  auto text = files.read(path, kLimit);
  if (!text) return;  // the template may be anywhere: not known
  const int source =
      sources.add({.name = std::string(kConfig), .uri = path, .text = *std::move(text)});
  const auto document = JsonDocument::parse(sources.at(source).text);
  if (!document || !document->root().is(JsonKind::Object)) return;
  const JsonValue given = document->root()["chat_template"];
  const bool absent = !given || given.is(JsonKind::Null);
  // Code of the repository may make prompts without a template.
  const bool code = static_cast<bool>(document->root()["auto_map"]);
  if (!absent || !code) model.chat_template = {!absent, Origin::Config};
}

}  // namespace sx
