// The gateway of a deployment as a program of its own, `relay_alone relay FOLDER`, so that it can
// be built under ThreadSanitizer without the layers that it does not use. tools/relay_alone.py
// builds it.
#include "gateway/relay_process.h"

int main(int argc, char** argv) {
  return argc == 3 ? sx::run_relay(argv[2], [](const sx::Error&) {}) : 2;
}
