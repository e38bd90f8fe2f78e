// The engine's door: plain HTTP/1.1 over blocking sockets, one thread a connection.
#pragma once

#include <string>

namespace fake {

class Engine;

// Bound and not yet listening, as vLLM's is while it loads: connections are refused. -1: taken.
int bound_socket(const std::string& host, int port);

// Listens there and answers from a thread of its own. False: somebody else listens there.
bool serve(int socket, Engine& engine);

}  // namespace fake
