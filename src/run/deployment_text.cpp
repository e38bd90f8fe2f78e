// Only what differs from the built-in values is written, so that the file says what was asked.
#include "run/deployment_text.h"

#include "base/strings.h"
#include "base/utf8.h"

namespace sx {
namespace {

// A basic string of TOML: quotes, backslashes and control characters are escaped.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      all += '\\';
      all += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      all += "\\u00";
      all += kHex[byte >> 4U];
      all += kHex[byte & 0xfU];
    } else {
      all += c;
    }
  }
  return all + '"';
}

std::string list(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + quoted(word);
  return '[' + all + ']';
}

bool is_text(const DeploymentFile& file) {
  bool good = is_valid_utf8(file.name) && is_valid_utf8(file.host);
  for (const ModelSettings& model : file.models) {
    good = good && is_valid_utf8(model.id) && is_valid_utf8(model.layout);
    for (const std::string& word : model.command) good = good && is_valid_utf8(word);
  }
  return good;
}

std::string text_of(const ModelSettings& model) {
  std::string text;
  if (!model.id.empty()) text += "id = " + quoted(model.id) + '\n';
  if (!model.command.empty()) text += "command = " + list(model.command) + '\n';
  if (model.replicas != ModelSettings{}.replicas)
    text += "replicas = " + std::to_string(model.replicas) + '\n';
  if (!model.layout.empty()) text += "layout = " + quoted(model.layout) + '\n';
  return text;
}

}  // namespace

std::string deployment_file_text(const DeploymentFile& file) {
  if (!is_text(file)) return {};
  std::string text = "name = " + quoted(file.name) + '\n';
  text += "listen = " + quoted(file.host + ':' + std::to_string(file.port)) + '\n';
  if (file.ladder) text += std::string("ladder = ") + (*file.ladder ? "true" : "false") + '\n';
  const bool several = file.models.size() > 1;
  for (const ModelSettings& model : file.models)
    text += std::string(several ? "\n[[model]]\n" : "\n[model]\n") + text_of(model);
  return text;
}

}  // namespace sx
