// Prints to both streams while it is asked, as some builds do.
#define BOX_INIT                          \
  printf("NVRM: hello\n");                \
  fprintf(stderr, "NVRM: hello again\n"); \
  fflush(stdout);                         \
  return 0;
#include "box.h"
