// Chat and plain completions, whole or streamed, with words that the seed decides.
#pragma once

#include <string>

namespace fake {

class Connection;
class Engine;
struct HttpRequest;

// False: the connection is of no more use.
bool generate(Connection& connection, const HttpRequest& request, Engine& engine, bool chat);

std::string loading_json();  // llama.cpp, while it loads

}  // namespace fake
