// The key that an engine asks its clients for, as its own launch says it. Whoever asks it on our
// behalf (the gateway, its health, its counters, the first request) shows that one.
#pragma once

#include "gather/gather_command.h"
#include "run/deployment.h"
#include "sys/files.h"

namespace sx {

constexpr std::size_t kMostKey = 512;  // bytes, as the table of routes takes them

// Whether it can be sent in the head of a request: printable letters of ASCII, at most so many, no
// blank at its ends.
bool is_sendable_key(std::string_view key);
// The first line of a file of keys that can be sent and is no comment. Empty: none.
std::string first_key_in(std::string_view text);

// Puts it into `made`, which has been given all of its environment. None where the launch asks for
// none. An error names what holds a key that cannot be read here, or that nobody could send.
Result<void> take_engine_key(EngineLaunch& made, const Launch& launch, const Files& files);

}  // namespace sx
