// Hands argv to cli; the only place that ends the process.
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/commands.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEXTANT_LOOKS_FOR_LEAKS 1
#endif
#endif

int main(int argc, char** argv) {
  const int code = sx::run_program(std::vector<std::string>(argv + 1, argv + argc));
#ifndef SEXTANT_LOOKS_FOR_LEAKS
  // All output is written. Taking the tables apart would be a tenth of a short run.
  std::quick_exit(code);
#endif
  return code;
}
