// Hands argv to cli; the only place that ends the process.
#include <string>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  return sx::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
