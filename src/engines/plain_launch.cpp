// The engine writes it itself, from a launch of which only the model is known.
#include "engines/plain_launch.h"

#include "engines/engine.h"

namespace sx {

std::vector<std::string> plain_launch(std::string_view engine, const std::string& model) {
  const Engine* found = find_engine(engine);
  if (found == nullptr || found->command_for == nullptr) return {};
  ServeSpec serve;
  serve.engine = engine;
  serve.model = Fact<std::string>(model, Origin::Flag);
  return found->command_for(serve);
}

}  // namespace sx
