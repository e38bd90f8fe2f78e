// A program that speaks as an engine does, and goes wrong on command (plan.h): for tests of what
// starts, watches and ends engines. Needs no GPU, no model and no Python.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_engine/asked.h"
#include "fake_engine/engine.h"
#include "fake_engine/plan.h"

namespace {

// Starts made in this folder, with this one: each leaves a byte.
int count_start() {
  const int file = ::open("fake_engine.starts", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  struct stat status{};
  const bool counted = ::write(file, ".", 1) == 1 && ::fstat(file, &status) == 0;
  ::close(file);
  return counted ? static_cast<int>(status.st_size) : 1;
}

}  // namespace

int main(int count, char** words) {
  const fake::Asked asked = fake::asked(count, words);
  auto plan = fake::plan_of(asked.plan, count_start());
  fake::Engine engine(asked, std::move(plan));
  engine.live();
}
