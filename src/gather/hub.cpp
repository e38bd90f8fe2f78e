// Addresses as huggingface_hub (file_download.py, hf_api.py) and modelscope (hub/file_download.py,
// hub/api.py) make them.
#include "gather/hub.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "diag/message.h"
#include "engines/engine.h"
#include "knowledge/traits.h"
#include "knowledge/truth_words.h"

namespace sx {
namespace {

constexpr std::string_view kHuggingFace = "https://huggingface.co";
constexpr std::string_view kModelScope = "https://modelscope.cn";

constexpr Text kOffline{"{variable}={value} keeps this process from asking the hub",
                        "{variable}={value} 禁止访问模型站点"};
constexpr Text kNoAddress{"{variable}='{value}' is no web address",
                          "{variable}='{value}' 不是网址"};

bool is_true(const std::optional<std::string>& value) {
  return truth_as("hub", value.value_or("")).value_or(false);
}

bool switched_on(std::string_view engine, std::string_view variable,
                 const Environment& environment) {
  const auto text = environment.get(variable);
  if (!text || text->empty()) return false;  // no table need be read
  return variable_truth(engine, variable, *text).value_or(false);
}

// In a path of an address, as Python's quote does; a slash stays.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "/._-~";
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

Result<std::string> endpoint(std::string_view variable, std::string_view usual,
                             const Environment& environment) {
  std::string address = environment.get(variable).value_or("");
  if (address.empty()) return std::string(usual);
  if (variable == "MODELSCOPE_DOMAIN" && !is_web_address(address)) address = "https://" + address;
  if (!is_web_address(address)) {
    return fail(Error::Kind::Usage,
                in_both({kNoAddress, {{"variable", variable}, {"value", address}}}));
  }
  while (address.ends_with('/')) address.pop_back();
  return address;
}

// A header must not be torn by what a variable holds.
std::string token_of(const Environment& environment) {
  for (const std::string_view name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    const std::string value(trimmed(environment.get(name).value_or("")));
    const bool plain = std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7F; });
    if (!value.empty() && plain) return value;
  }
  return {};
}

}  // namespace

bool is_web_address(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

std::string HubRepository::folder() const {
  switch (kind) {
    case Kind::Folder:
      return server;
    case Kind::HuggingFace:
      return server + '/' + id;
    case Kind::ModelScope:
      return server + "/models/" + id;
  }
  return server;
}

std::string HubRepository::file_address(std::string_view name) const {
  switch (kind) {
    case Kind::Folder:
      return server + '/' + quoted(name);
    case Kind::HuggingFace:
      return server + '/' + quoted(id) + "/resolve/" + quoted(revision) + '/' + quoted(name);
    case Kind::ModelScope:
      return server + "/api/v1/models/" + quoted(id) + "/repo?Revision=" + quoted(revision) +
             "&FilePath=" + quoted(name);
  }
  return {};
}

std::string HubRepository::list_address() const {
  switch (kind) {
    case Kind::Folder:
      return {};
    case Kind::HuggingFace:
      return server + "/api/models/" + quoted(id) + "/tree/" + quoted(revision);
    case Kind::ModelScope:
      return server + "/api/v1/models/" + quoted(id) + "/repo/files?Revision=" + quoted(revision) +
             "&Recursive=false";
  }
  return {};
}

bool asks_modelscope(const Environment& environment) {
  return std::ranges::any_of(all_engines(), [&environment](const Engine* engine) {
    const auto variable = trait(engine->name, "modelscope-switch", Version{});
    return variable && switched_on(engine->name, *variable, environment);
  });
}

Result<HubRepository> hub_of(const std::string& model, const std::string& revision,
                             const Environment& environment) {
  HubRepository hub;
  hub.id = model;
  hub.revision = revision;
  if (is_web_address(model)) {
    hub.kind = HubRepository::Kind::Folder;
    hub.server = model;
    hub.id.clear();
    while (hub.server.ends_with('/')) hub.server.pop_back();
    return hub;
  }
  for (const std::string_view name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    const auto value = environment.get(name);
    if (is_true(value)) {
      return fail(Error::Kind::Refused,
                  in_both({kOffline, {{"variable", name}, {"value", *value}}}));
    }
  }
  if (asks_modelscope(environment)) {
    hub.kind = HubRepository::Kind::ModelScope;
    if (hub.revision.empty()) hub.revision = "master";
    const bool domain = environment.get("MODELSCOPE_ENDPOINT").value_or("").empty();
    SX_TRY(hub.server, endpoint(domain ? "MODELSCOPE_DOMAIN" : "MODELSCOPE_ENDPOINT", kModelScope,
                                environment));
    return hub;
  }
  if (hub.revision.empty()) hub.revision = "main";
  SX_TRY(hub.server, endpoint("HF_ENDPOINT", kHuggingFace, environment));
  hub.token = token_of(environment);
  return hub;
}

}  // namespace sx
