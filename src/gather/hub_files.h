// A repository of a hub as a folder of files, of which only the beginnings are fetched.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "gather/hub.h"
#include "sys/files.h"
#include "sys/http.h"

namespace sx {

// How long a busy hub is left alone before it is asked again; tests do not wait.
using Wait = std::function<void(std::chrono::milliseconds)>;

// The list of files is asked for here, so an error says that the hub has no such model, wants a
// token, is busy or does not answer. Paths of the folder begin with HubRepository::folder().
// Bounds: two more tries a request, four at a time, 256 MiB in all.
Result<std::unique_ptr<Files>> open_hub_folder(const Http& http, HubRepository repository,
                                               Wait wait);

}  // namespace sx
