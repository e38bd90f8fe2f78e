// One small request that proves a replica: until it was answered nothing is known to work.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>

#include "run/deployment.h"

namespace sx {

// Asks for one token in a chat; where the model has no chat, for a completion; where it makes none,
// for an embedding. `words`: what the engine said instead.
void warm_up(boost::asio::io_context& loop, const EngineLaunch& launch,
             std::function<void(bool good, std::string words)> done);

}  // namespace sx
