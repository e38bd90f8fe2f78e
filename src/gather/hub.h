// Which hub holds a model, and the addresses of its files there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/environment.h"

namespace sx {

struct HubRepository {
  enum class Kind { HuggingFace, ModelScope, Folder };
  Kind kind = Kind::HuggingFace;
  std::string server;    // "https://huggingface.co"; of a folder its whole address
  std::string id;        // "Qwen/Qwen2.5-7B-Instruct"; empty for a folder
  std::string revision;  // "main", "master", a tag or a commit
  std::string token;     // never shown, never logged

  // What stands for the folder in paths and messages: "https://huggingface.co/Qwen/Qwen2.5-7B".
  std::string folder() const;
  std::string file_address(std::string_view name) const;
  std::string list_address() const;  // empty: a plain folder has no list
};

// By HF_ENDPOINT, MODELSCOPE_ENDPOINT, VLLM_USE_MODELSCOPE, SGLANG_USE_MODELSCOPE; the token by
// HF_TOKEN. `model` is a hub id or an http(s) address. Errors: HF_HUB_OFFLINE is set, an endpoint
// that is no web address.
Result<HubRepository> hub_of(const std::string& model, const std::string& revision,
                             const Environment& environment);

// Both engines that know ModelScope ask it first only when they are told to.
bool asks_modelscope(const Environment& environment);

// "https://…" or "http://…".
bool is_web_address(std::string_view text);

}  // namespace sx
