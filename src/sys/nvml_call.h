// Calling a function of the driver's library by name, where any may be missing.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

#include "sys/nvml_words.h"

namespace sx {

// The first of the names that the library has, called; kNvmlMissing when it has none.
template <class... Arguments>
int nvml_call(void* library, std::initializer_list<const char*> names, Arguments... arguments) {
  for (const char* name : names) {
    void* symbol = ::dlsym(library, name);
    if (symbol == nullptr) continue;
    return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
  }
  return kNvmlMissing;
}

}  // namespace sx
