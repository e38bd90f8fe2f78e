// Programs that fetch models (data/download_clients.tsv): how the parts of an unfinished download
// are called, and the command that goes on with it.
#pragma once

#include <span>
#include <string_view>

namespace sx {

struct DownloadClient {
  std::string_view name;   // "hf-local"
  std::string_view shown;  // "hf"; empty: nobody can tell which program it was
  // Where parts lie: "$folder…" is the model's folder, "$cache…" the root of the cache that the
  // folder lies in, "blobs" of the repository in the cache of Hugging Face. Empty: it has no parts.
  std::string_view parts_in;
  std::string_view parts;  // "*.incomplete", "*": any name
  std::string_view
      resume;  // with {id} {revision} {folder} {files} {paths} {list} {urls}; empty: none
  std::string_view anew;  // the same for files that the program holds to be whole
};

std::span<const DownloadClient> download_clients();
const DownloadClient* find_download_client(std::string_view name);

// Whether a file's name is that of a part: "*" and "*.ending" are known.
bool is_part(const DownloadClient& client, std::string_view file);

}  // namespace sx
