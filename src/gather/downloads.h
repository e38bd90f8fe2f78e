// What is left of downloads that were not finished, and the command that goes on with them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/model_spec.h"
#include "gather/outside.h"
#include "knowledge/download_clients.h"

namespace sx {

struct UnfinishedDownload {
  std::string path;  // of the part
  Bytes bytes;       // that are there
  const DownloadClient* client = nullptr;
};

// Where a model's files came from, as far as the folder tells.
struct DownloadPlace {
  std::string id;        // "Qwen/Qwen2.5-7B-Instruct"; empty: the folder does not tell
  std::string revision;  // empty: the usual one
  const DownloadClient* client = nullptr;  // that fetched it, or could
  std::vector<UnfinishedDownload> unfinished;
  Both unread;  // a folder of parts that could not be listed, and why; empty: all could
};

DownloadPlace download_place(const ModelSpec& model, const Outside& outside);

// Commands that make the checkpoint whole, best one first: for what is missing, for what is
// damaged. Empty: nothing is wrong. Words are quoted for a shell.
std::vector<std::string> download_commands(const ModelSpec& model, const DownloadPlace& place,
                                           const std::vector<std::string>& damaged,
                                           const std::vector<std::string>& missing);

}  // namespace sx
